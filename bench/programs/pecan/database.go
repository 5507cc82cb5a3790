package pecan

import "sync"

// A database has tables with a lock each, and statistics of what was done to them. Rows are locked;
// the statistics are shared as well, and are not. A transaction that looks at a table and then
// changes it takes the lock of the table twice.
type database struct {
	tables [12]table

	// statistics, without a lock
	reads, writes, hits, misses int
	oldest, newest              int // transactions

	// the log, with a lock
	mu      sync.Mutex
	entries int
	synced  int
}

type table struct {
	mu      sync.Mutex
	rows    [16]int
	used    int
	version int
}

// lookup returns a row.
func (d *database) lookup(t *table, k int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	d.reads++
	if v := t.rows[k%len(t.rows)]; v != 0 {
		d.hits++
		return v
	}
	d.misses++
	return 0
}

// scan returns the sum of all rows.
func (d *database) scan(t *table) int {
	t.mu.Lock()
	sum, n := 0, 0
	for _, v := range &t.rows {
		if sum += v; v != 0 {
			n++
		}
	}
	d.reads += n
	t.mu.Unlock()
	if n > d.newest {
		d.newest = n
	}
	return sum
}

// insert puts a value into the first row that is free, and reports whether there was one.
func (d *database) insert(t *table, v int) bool {
	t.mu.Lock()
	full := t.used == len(t.rows)
	t.mu.Unlock()
	if full {
		d.misses++
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.rows {
		if t.rows[i] == 0 {
			t.rows[i] = v
			t.used++
			t.version++
			break
		}
	}
	d.writes++
	return true
}

// remove takes a row away.
func (d *database) remove(t *table, k int) {
	i := k % len(t.rows)
	t.mu.Lock()
	was := t.rows[i]
	t.mu.Unlock()
	if was == 0 {
		return
	}
	t.mu.Lock()
	if t.rows[i] != 0 {
		t.rows[i] = 0
		t.used--
		t.version++
	}
	t.mu.Unlock()
	d.writes++
	if d.oldest < was {
		d.oldest = was
	}
}

// update adds to a row that it has read before.
func (d *database) update(t *table, k, by int) {
	i := k % len(t.rows)
	t.mu.Lock()
	v, version := t.rows[i], t.version
	t.mu.Unlock()
	if v == 0 {
		return
	}
	t.mu.Lock()
	if t.version == version {
		t.rows[i] = v + by
	}
	t.mu.Unlock()
	d.writes++
	d.hits++
}

// log writes an entry, and every so often what was not written yet.
func (d *database) log(n int) {
	d.mu.Lock()
	d.entries += n
	late := d.entries - d.synced
	d.mu.Unlock()
	if late > 64 {
		d.checkpoint(late)
	}
}

func (d *database) checkpoint(n int) {
	d.mu.Lock()
	d.synced += n
	d.mu.Unlock()
	d.oldest = d.newest
	d.misses /= 2
}

// report resets the statistics and returns how many rows of a hundred were found.
func (d *database) report() int {
	asked := d.hits + d.misses
	if asked == 0 {
		return 0
	}
	share := 100 * d.hits / asked
	d.hits, d.misses = 0, 0
	if d.reads > d.writes {
		d.reads -= d.writes
	}
	d.newest++
	return share
}

// Database lets four clients make n transactions each.
func Database(n int) {
	d := new(database)
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Go(func() {
			for i := range n {
				t := &d.tables[(5*i+3*c)%len(d.tables)]
				switch k := 7*i + c; k % 8 {
				case 0, 3:
					d.insert(t, k+1)
				case 1, 4:
					d.lookup(t, k)
				case 2:
					d.update(t, k, c)
				case 5:
					d.remove(t, k)
				case 6:
					d.scan(t)
				}
				d.log(1)
				if i%32 == 31 {
					d.report()
				}
			}
		})
	}
	wg.Wait()
}
