package pecan

import (
	"fmt"
	"sync"
)

// Programs like the four of the table that serve: a cache, warehouses, a crawler, a mirror.

// A cached object, which its users lock one by one.
type cached struct {
	mu    sync.Mutex
	value int
	uses  int
}

// A cache is one of cache4j: a table under one lock, with objects that have locks of their own.
type cache struct {
	mu           sync.Mutex
	table        map[int]*cached
	most         int
	hits, misses int
	cleaned      bool // not locked where the cleaner sets it: the bug
}

func (c *cache) get(key int) (int, bool) {
	c.mu.Lock()
	o := c.table[key]
	if o == nil {
		c.misses++
		c.mu.Unlock()
		return 0, false
	}
	c.hits++
	c.mu.Unlock()
	o.uses++ // not locked: the bug
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.value, true
}

func (c *cache) put(key, value int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.table) >= c.most {
		for k := range c.most * 2 { // the first in order goes
			if c.table[k] != nil {
				delete(c.table, k)
				break
			}
		}
	}
	c.table[key] = &cached{value: value}
}

// Cache is "cache4j": three users and a cleaner.
func Cache() {
	c := &cache{table: make(map[int]*cached), most: 8}
	for k := range c.most {
		c.put(k, k*k)
	}
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			for i := range 16 {
				k := (i + 3*g) % 10
				if v, ok := c.get(k); ok && v != k*k {
					panic("cache: the value of another key")
				} else if !ok {
					c.put(k, k*k)
				}
			}
		})
	}
	wg.Go(func() {
		c.cleaned = true
		c.mu.Lock()
		n := len(c.table)
		c.mu.Unlock()
		if c.cleaned && n > c.most {
			panic("cache: too many objects")
		}
	})
	wg.Wait()
}

// A warehouse of SPECjbb: stock and orders, each with its lock.
type warehouse struct {
	mu     sync.Mutex
	stock  [16]int
	orders []int
	income int
}

// A company has warehouses, each served by one terminal, which sometimes asks another warehouse.
type company struct {
	houses [3]warehouse
	mu     sync.Mutex
	mode   int // not locked where terminals read it: the bug
	done   int // the same
	total  int
}

func (h *warehouse) order(item, count int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stock[item] < count {
		h.stock[item] += 50
	}
	h.stock[item] -= count
	h.orders = append(h.orders, item)
	h.income += count * (item + 1)
	return h.stock[item] >= 0
}

func (h *warehouse) deliver() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.orders) > 8 {
		h.orders = h.orders[:0]
	}
}

// Warehouses is "SpecJBB": three terminals and the company that starts and stops them.
func Warehouses(transactions int) {
	c := new(company)
	var wg sync.WaitGroup
	for g := range c.houses {
		wg.Go(func() {
			own := &c.houses[g]
			for i := range transactions {
				if c.mode > 1 { // stopped
					break
				}
				h := own
				if i%10 == 9 {
					h = &c.houses[(g+1)%len(c.houses)]
				}
				if !h.order(i%len(h.stock), 1+i%3) {
					panic("warehouse: sold what there is not")
				}
				if i%16 == 15 {
					h.deliver()
				}
				if i%32 == 31 {
					c.done += 32
				}
			}
			own.mu.Lock()
			n := own.income
			own.mu.Unlock()
			c.mu.Lock()
			c.total += n
			c.mu.Unlock()
		})
	}
	c.mode = 1
	wg.Wait()
	c.mode = 2
}

// A search of hedc: tasks that ask archives, some of which are cancelled.
type search struct {
	mu      sync.Mutex
	results []string
	state   [6]int    // of the tasks, not locked: the bug
	from    [6]string // the same
}

const (
	searchRuns = iota + 1
	searchDone
	searchStopped
)

func (s *search) run(i int) {
	s.state[i] = searchRuns
	sum := 0
	for page := range 24 {
		if s.state[i] == searchStopped {
			return
		}
		sum += page * (i + 1)
		s.mu.Lock()
		s.results = append(s.results, fmt.Sprint(i, page))
		s.mu.Unlock()
	}
	s.from[i] = fmt.Sprint("archive ", sum)
	s.state[i] = searchDone
}

// Crawler is "hedc": six goroutines search, and the one that waits for them stops the last.
func Crawler() {
	s := new(search)
	var wg sync.WaitGroup
	for i := range s.state {
		wg.Go(func() { s.run(i) })
	}
	for i := range s.state {
		if s.state[i] == searchDone && s.from[i] == "" {
			panic("hedc: done without a result")
		}
	}
	s.state[5] = searchStopped
	wg.Wait()
}

// A spider of weblech: goroutines that take addresses from a queue, fetch them and add the links.
type spider struct {
	mu      sync.Mutex
	queue   []int
	seen    map[int]bool
	fetched int  // not locked: the bug
	waiting int  // the same
	quit    bool // the same
	links   [400]int
}

func (s *spider) take() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return 0, false
	}
	u := s.queue[0]
	s.queue = s.queue[1:]
	return u, true
}

func (s *spider) add(u int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u < len(s.links) && !s.seen[u] {
		s.seen[u] = true
		s.queue = append(s.queue, u)
		s.links[u]++
	}
}

func (s *spider) crawl() {
	for !s.quit {
		u, ok := s.take()
		if !ok {
			if s.waiting++; s.waiting > 1 {
				s.quit = true
			}
			return
		}
		s.fetched++
		s.add(3*u + 1)
		s.add(3*u + 2)
		s.add(3*u + 3)
	}
}

// Mirror is "weblech": two spiders and main, which waits for them.
func Mirror() {
	s := &spider{seen: make(map[int]bool)}
	s.add(0)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(s.crawl)
	}
	wg.Wait()
	for u, n := range s.links {
		if n > 1 {
			panic(fmt.Sprintf("weblech: page %d was fetched %d times", u, n))
		}
	}
}
