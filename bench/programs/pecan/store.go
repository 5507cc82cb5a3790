package pecan

import "sync"

// A store makes long traces: clients that read and write the pages of a table, each page under its
// lock and with its number in the log, and count their transactions without a lock. It has the
// size of Derby's row of the table: four threads, about a hundred shared variables.
type store struct {
	mu    sync.Mutex // of the log
	log   int
	pages [32]page
	done  int // not locked: the bug
}

type page struct {
	mu      sync.Mutex
	rows    [2]int
	written int // number in the log
}

// update changes the rows of a page together.
func (s *store) update(p *page, by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.rows[0]
	p.rows[0] = n + by
	p.rows[1] -= by
	s.mu.Lock()
	s.log++
	p.written = s.log
	s.mu.Unlock()
}

// sum returns the sum of a page's rows.
func (p *page) sum() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows[0] + p.rows[1]
}

// Store lets four clients make n transactions each. The sum of every page stays 0.
func Store(n int) {
	s := new(store)
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Go(func() {
			var own [4]int
			seen := own[:]
			for i := range n {
				p := &s.pages[(7*i+c)%len(s.pages)]
				s.update(p, i%5)
				seen[i%len(seen)] += p.sum()
				if i%64 == 63 {
					s.done += 64
				}
			}
			for _, x := range seen {
				if x != 0 {
					panic("store: half of an update was seen")
				}
			}
		})
	}
	wg.Wait()
}
