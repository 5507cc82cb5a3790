package pecan

import (
	"fmt"
	"runtime"
	"sync"
)

// An account is locked by its own methods, but not when it receives a transfer.
type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

func (a *account) withdraw(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= n
}

// transfer locks only the account that the money comes from: the bug.
func (a *account) transfer(to *account, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= n
	to.balance += n
}

// Account is "account": each manager pays into its account, draws from it, and transfers to the
// other's. Money gets lost between the two locks.
func Account() {
	var accounts [2]account
	var wg sync.WaitGroup
	for i := range accounts {
		wg.Go(func() {
			own, other := &accounts[i], &accounts[1-i]
			own.deposit(300)
			own.withdraw(100)
			own.transfer(other, 99)
		})
	}
	wg.Wait()
	if sum := accounts[0].balance + accounts[1].balance; sum != 400 {
		panic(fmt.Sprintf("account: %d is left of 400", sum))
	}
}

// A history is the list that the users of BuggyProgram write numbers into.
type history struct {
	mu      sync.Mutex
	numbers [8]int
	next    int
	last    int
	users   int
}

// add takes a slot and fills it. It reads the slot before it takes the lock.
func (h *history) add(n int) {
	at := h.next
	if at == len(h.numbers) {
		return
	}
	h.mu.Lock()
	h.numbers[h.next] = n
	h.next++
	h.mu.Unlock()
	h.last = n
}

// BuggyProgram is "buggy program": users draw numbers and record them; one lock is missing, one is
// the wrong one, and the goroutine that waits for the users counts them without a lock.
func BuggyProgram() {
	h := new(history)
	var own [3]sync.Mutex
	var wg sync.WaitGroup
	h.users = len(own)
	for i := range own {
		wg.Go(func() {
			for k := range 2 {
				h.add(1 + (7*i+3*k)%5)
			}
			h.add(9)
			own[i].Lock() // its own lock, which excludes no other goroutine
			h.users--
			own[i].Unlock()
		})
	}
	wg.Wait()
	if h.users != 0 {
		panic(fmt.Sprintf("buggy program: %d users are left", h.users))
	}
}

// CriticalSection is "critical section": two processes alternate by a variable and nothing else.
func CriticalSection() {
	turn, inside, runs := 0, 0, [2]int{}
	var wg sync.WaitGroup
	for me := range 2 {
		wg.Go(func() {
			for turn != me {
				runtime.Gosched()
			}
			inside++
			if inside != 1 {
				panic("critical section: two are in it")
			}
			runs[me]++
			inside--
			turn = 1 - me
		})
	}
	wg.Wait()
}

// Loader is "loader": the numbers are used without waiting until they are loaded.
func Loader() {
	var data []int
	var wg sync.WaitGroup
	wg.Go(func() {
		loaded := make([]int, 0, 6)
		for i := range 6 {
			loaded = append(loaded, (5*i+2)%7)
		}
		data = loaded
	})
	for u := range 2 {
		wg.Go(func() {
			least := data[0] // not loaded yet: the bug
			for _, n := range data[1:] {
				least = min(least, n)
			}
			if least > 2+u {
				panic("loader: the least number is not there")
			}
		})
	}
	wg.Wait()
}

// A block is memory that a manager hands out.
type block struct {
	used  bool
	owner int
}

type manager struct {
	blocks   [4]block
	free     int
	requests int
	released int
}

// request takes a block if the number of free ones says that there is one.
func (m *manager) request(who int) int {
	m.requests++
	if m.free == 0 {
		return -1
	}
	m.free--
	for i := range m.blocks {
		if b := &m.blocks[i]; !b.used {
			b.used, b.owner = true, who
			return i
		}
	}
	panic("manager: there was a free block, and there is none")
}

func (m *manager) release(i, who int) {
	b := &m.blocks[i]
	if b.owner != who {
		panic("manager: another goroutine has the block")
	}
	b.used = false
	m.free++
	m.released++
}

// Manager is "manager": the tables of a memory manager have no lock.
func Manager() {
	m := &manager{free: 2}
	for i := 2; i < len(m.blocks); i++ {
		m.blocks[i] = block{used: true, owner: -1}
	}
	var wg sync.WaitGroup
	for who := range 4 {
		wg.Go(func() {
			if i := m.request(who); i >= 0 {
				m.release(i, who)
			}
		})
	}
	wg.Wait()
}

// A sorter passes halves to other goroutines while there are some available.
type sorter struct {
	mu        sync.Mutex
	available int
	started   int
	finished  int
}

func (s *sorter) more() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.available > 1
}

func (s *sorter) take() {
	s.mu.Lock()
	s.available -= 2
	if s.available < 0 {
		panic("merge sort: more goroutines than there are")
	}
	s.mu.Unlock()
	s.started += 2 // without the lock
}

func (s *sorter) sort(data []int) {
	if len(data) < 2 {
		return
	}
	left, right := data[:len(data)/2], data[len(data)/2:]
	if s.more() { // the goroutines are taken only now: the bug
		s.take()
		var wg sync.WaitGroup
		wg.Go(func() { s.sort(left); s.finished++ })
		wg.Go(func() { s.sort(right); s.finished++ })
		wg.Wait()
	} else {
		s.sort(left)
		s.sort(right)
	}
	merge(data, left, right)
}

func merge(data, left, right []int) {
	out := make([]int, 0, len(data))
	for len(left) > 0 && len(right) > 0 {
		if left[0] <= right[0] {
			out, left = append(out, left[0]), left[1:]
		} else {
			out, right = append(out, right[0]), right[1:]
		}
	}
	copy(data, append(append(out, left...), right...))
}

// MergeSort is "merge sort": checking for available goroutines and taking them are two critical
// sections.
func MergeSort() {
	s := &sorter{available: 4}
	data := []int{5, 2, 9, 1, 8, 3, 7, 6}
	s.sort(data)
	for i := 1; i < len(data); i++ {
		if data[i-1] > data[i] {
			panic("merge sort: not sorted")
		}
	}
}

// Shop is "shop": one supplier, two customers, and a number of goods without a lock.
func Shop() {
	goods, sold := 0, 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 3 {
			goods++
		}
	})
	for range 2 {
		wg.Go(func() {
			for range 2 {
				if goods > 0 {
					goods--
					if goods < 0 {
						panic("shop: sold what is not there")
					}
					sold++
				}
			}
		})
	}
	wg.Wait()
}
