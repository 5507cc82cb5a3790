// Package alloclog remembers the allocations of an execution and finds them by address.
//
// To announce an allocation costs an append. The log is searched while it grows, since a map keyed
// by pointers is visited in the order in which its keys were made. So it is kept as sorted runs,
// each less than half as long as the one before: many searches between many allocations cost no
// more than sorting once.
package alloclog

import "heddle/trace"

// An Alloc is an allocation.
type Alloc struct {
	Addr, Size uintptr
	G          trace.GID // the goroutine that allocates
	N          int32     // it is the N-th of G
	// it is the Nth of G at Site; 0 until Find is called, and in logs that do not count
	Nth  int32
	Site trace.Site
}

// contains reports whether p is in a. One byte counts as allocated where the size is 0.
func (a *Alloc) contains(p uintptr) bool { return p >= a.Addr && p < a.Addr+max(a.Size, 1) }

// A Log holds the allocations of one execution.
type Log struct {
	allocs []Alloc
	runs   []int   // the ends of the sorted runs; what follows the last one is not sorted yet
	spare  []Alloc // for sorting
	counts bool    // fill in Alloc.Nth
	made   counter
}

// most bounds the allocations that are kept.
const most = 4 << 20

// Reset empties l. With count it fills in Alloc.Nth.
func (l *Log) Reset(count bool) {
	l.allocs, l.runs, l.counts = l.allocs[:0], l.runs[:0], count
	l.made.reset()
}

// Add adds an allocation, which the caller fills in. It returns nil if the log is full.
func (l *Log) Add() *Alloc {
	n := len(l.allocs)
	if n >= most {
		return nil
	}
	if n == cap(l.allocs) {
		l.allocs = append(l.allocs, Alloc{})
	}
	l.allocs = l.allocs[:n+1]
	return &l.allocs[n]
}

// Contains reports whether p is in an allocation. Unlike Find it looks at each of them.
func (l *Log) Contains(p uintptr) bool {
	for i := range l.allocs {
		if l.allocs[i].contains(p) {
			return true
		}
	}
	return false
}

// Find returns the allocation that p is in, and how far p is from its beginning.
func (l *Log) Find(p uintptr) (a Alloc, off uint32, ok bool) {
	l.sort()
	begin := 0
	for _, end := range l.runs {
		run := l.allocs[begin:end]
		i, hi := 0, len(run) // the first that begins after p
		for i < hi {
			if m := (i + hi) / 2; run[m].Addr <= p {
				i = m + 1
			} else {
				hi = m
			}
		}
		for j := i - 1; j >= 0 && j > i-4; j-- {
			if a := &run[j]; a.contains(p) {
				return *a, uint32(p - a.Addr), true
			}
		}
		begin = end
	}
	return Alloc{}, 0, false
}

// sort makes the whole log searchable.
func (l *Log) sort() {
	from := 0
	if n := len(l.runs); n > 0 {
		from = l.runs[n-1]
	}
	if from == len(l.allocs) {
		return
	}
	if l.counts {
		l.made.number(l.allocs[from:])
	}
	l.runs = append(l.runs, len(l.allocs))
	for n := len(l.runs); ; n-- {
		begin := 0
		if n > 1 {
			begin = l.runs[n-2]
		}
		before := begin
		if n > 2 {
			before -= l.runs[n-3]
		}
		if n > 1 && 2*(l.runs[n-1]-begin) >= before {
			// Longer than half of the run before: one run.
			l.runs[n-2] = l.runs[n-1]
			l.runs = l.runs[:n-1]
			continue
		}
		l.spare = sortByAddr(l.allocs[begin:], l.spare)
		return
	}
}

// sortByAddr is a merge sort; packages sort and slices are under test here,
// and slow. It returns tmp, grown.
func sortByAddr(as, tmp []Alloc) []Alloc {
	if len(tmp) < len(as) {
		tmp = make([]Alloc, 2*len(as))
	}
	mergeSort(as, tmp[:len(as)])
	return tmp
}

func mergeSort(as, tmp []Alloc) {
	if len(as) < 2 {
		return
	}
	h := len(as) / 2
	mergeSort(as[:h], tmp[:h])
	mergeSort(as[h:], tmp[h:])
	if as[h-1].Addr <= as[h].Addr {
		return
	}
	copy(tmp, as)
	i, j := 0, h
	for k := range as {
		if i < h && (j >= len(as) || tmp[i].Addr <= tmp[j].Addr) {
			as[k] = tmp[i]
			i++
		} else {
			as[k] = tmp[j]
			j++
		}
	}
}

// A counter counts what each goroutine has allocated at each place: a hash table with open
// addressing.
type counter struct {
	slots []slot // a power of two of them
	n     int    // that are in use
	gen   uint32 // slots of others are empty, as are those that have counted nothing
}

type slot struct {
	site trace.Site
	g    trace.GID
	n    int32
	gen  uint32
}

func (c *counter) reset() {
	c.n = 0
	if c.gen++; c.gen == 0 {
		clear(c.slots)
		c.gen = 1
	}
}

// number counts allocations, in their order.
func (c *counter) number(as []Alloc) {
	for i := range as {
		a := &as[i]
		if 2*c.n >= len(c.slots) {
			c.grow()
		}
		sl := c.slot(a.Site, a.G)
		sl.n++
		a.Nth = sl.n
	}
}

// slot returns the slot of a goroutine and a place, made if there is none.
func (c *counter) slot(site trace.Site, g trace.GID) *slot {
	mask := uint64(len(c.slots) - 1)
	for k := (uint64(site) + uint64(g)<<32) * 0x9e3779b97f4a7c15 >> 32; ; k++ {
		switch sl := &c.slots[k&mask]; {
		case sl.n == 0 || sl.gen != c.gen:
			*sl = slot{site, g, 0, c.gen}
			c.n++
			return sl
		case sl.site == site && sl.g == g:
			return sl
		}
	}
}

func (c *counter) grow() {
	old := c.slots
	c.slots, c.n = make([]slot, max(64, 2*len(old))), 0
	for _, o := range old {
		if o.n > 0 && o.gen == c.gen {
			c.slot(o.site, o.g).n = o.n
		}
	}
}
