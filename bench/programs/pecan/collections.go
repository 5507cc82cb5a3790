package pecan

import "sync"

// A collection has the common methods of the JDK's collections. Iterators fail fast: they panic if
// the collection was changed by another goroutine.
type collection interface {
	Add(n int) bool
	Remove(n int) bool
	Contains(n int) bool
	Clear()
	Iterator() iterator
}

type iterator interface {
	HasNext() bool
	Next() int
}

const (
	changed   = "concurrent modification"
	exhausted = "no such element"
)

// A synced collection is Collections.synchronizedCollection: its methods lock it. Methods that
// take another collection iterate over that without locking it: the bug.
type synced struct {
	mu sync.Mutex
	c  collection
}

func (s *synced) Add(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.c.Add(n)
}

func (s *synced) Remove(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.c.Remove(n)
}

func (s *synced) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c.Clear()
}

// Iterator does not lock. Its documentation says that the caller must lock the collection.
func (s *synced) Iterator() iterator { return s.c.Iterator() }

func (s *synced) ContainsAll(o *synced) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for it := o.Iterator(); it.HasNext(); {
		if !s.c.Contains(it.Next()) {
			return false
		}
	}
	return true
}

func (s *synced) AddAll(o *synced) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for it := o.Iterator(); it.HasNext(); {
		s.c.Add(it.Next())
	}
}

// drive is the driver of all four: one goroutine asks the first collection about the second and
// adds it, the other goroutine changes the second.
func drive(c func() collection) {
	a, b := &synced{c: c()}, &synced{c: c()}
	for n := range 2 {
		a.c.Add(n)
		b.c.Add(n)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		a.ContainsAll(b)
		a.AddAll(b)
	})
	wg.Go(func() {
		b.Remove(0)
		b.Add(2)
		b.Clear()
	})
	wg.Wait()
}

// ArrayList drives array lists.
func ArrayList() { drive(func() collection { return &arrayList{elements: make([]int, 4)} }) }

// LinkedList drives linked lists.
func LinkedList() { drive(func() collection { return newLinkedList() }) }

// HashSet drives hash sets.
func HashSet() { drive(func() collection { return &hashSet{buckets: make([]*entry, 4)} }) }

// TreeSet drives tree sets.
func TreeSet() { drive(func() collection { return new(treeSet) }) }

type arrayList struct {
	elements []int
	size     int
	changes  int
}

func (l *arrayList) Add(n int) bool {
	l.changes++
	if l.size == len(l.elements) {
		more := make([]int, 2*l.size+1)
		copy(more, l.elements)
		l.elements = more
	}
	l.elements[l.size] = n
	l.size++
	return true
}

func (l *arrayList) indexOf(n int) int {
	for i := 0; i < l.size; i++ {
		if l.elements[i] == n {
			return i
		}
	}
	return -1
}

func (l *arrayList) Contains(n int) bool { return l.indexOf(n) >= 0 }

func (l *arrayList) Remove(n int) bool {
	i := l.indexOf(n)
	if i < 0 {
		return false
	}
	l.changes++
	copy(l.elements[i:l.size-1], l.elements[i+1:l.size])
	l.size--
	return true
}

func (l *arrayList) Clear() { l.changes, l.size = l.changes+1, 0 }

func (l *arrayList) Iterator() iterator { return &arrayIterator{l: l, expected: l.changes} }

type arrayIterator struct {
	l            *arrayList
	at, expected int
}

func (it *arrayIterator) HasNext() bool { return it.at != it.l.size }

func (it *arrayIterator) Next() int {
	if it.l.changes != it.expected {
		panic(changed)
	}
	if it.at >= it.l.size {
		panic(exhausted)
	}
	it.at++
	return it.l.elements[it.at-1]
}

// A linkedList is a ring with a header.
type linkedList struct {
	header  *link
	size    int
	changes int
}

type link struct {
	n          int
	next, prev *link
}

func newLinkedList() *linkedList {
	h := new(link)
	h.next, h.prev = h, h
	return &linkedList{header: h}
}

func (l *linkedList) Add(n int) bool {
	e := &link{n: n, next: l.header, prev: l.header.prev}
	e.prev.next, e.next.prev = e, e
	l.size++
	l.changes++
	return true
}

func (l *linkedList) find(n int) *link {
	for e := l.header.next; e != l.header; e = e.next {
		if e.n == n {
			return e
		}
	}
	return nil
}

func (l *linkedList) Contains(n int) bool { return l.find(n) != nil }

func (l *linkedList) Remove(n int) bool {
	e := l.find(n)
	if e == nil {
		return false
	}
	e.prev.next, e.next.prev = e.next, e.prev
	l.size--
	l.changes++
	return true
}

func (l *linkedList) Clear() {
	l.changes++
	l.header.next, l.header.prev = l.header, l.header
	l.size = 0
}

func (l *linkedList) Iterator() iterator {
	return &linkIterator{l: l, next: l.header.next, expected: l.changes}
}

type linkIterator struct {
	l            *linkedList
	next         *link
	at, expected int
}

func (it *linkIterator) HasNext() bool { return it.at < it.l.size }

func (it *linkIterator) Next() int {
	if it.l.changes != it.expected {
		panic(changed)
	}
	if it.at >= it.l.size {
		panic(exhausted)
	}
	e := it.next
	it.next = e.next
	it.at++
	return e.n
}

// A hashSet has chains of entries.
type hashSet struct {
	buckets []*entry
	size    int
	changes int
}

type entry struct {
	n    int
	next *entry
}

func (s *hashSet) chain(n int) **entry { return &s.buckets[n%len(s.buckets)] }

func (s *hashSet) Contains(n int) bool {
	for e := *s.chain(n); e != nil; e = e.next {
		if e.n == n {
			return true
		}
	}
	return false
}

func (s *hashSet) Add(n int) bool {
	if s.Contains(n) {
		return false
	}
	c := s.chain(n)
	*c = &entry{n, *c}
	s.changes++
	s.size++
	return true
}

func (s *hashSet) Remove(n int) bool {
	for c := s.chain(n); *c != nil; c = &(*c).next {
		if (*c).n == n {
			*c = (*c).next
			s.changes++
			s.size--
			return true
		}
	}
	return false
}

func (s *hashSet) Clear() {
	s.changes++
	for i := range s.buckets {
		s.buckets[i] = nil
	}
	s.size = 0
}

func (s *hashSet) Iterator() iterator {
	it := &hashIterator{s: s, expected: s.changes}
	if s.size != 0 {
		it.advance(nil)
	}
	return it
}

type hashIterator struct {
	s        *hashSet
	bucket   int
	next     *entry
	expected int
}

// advance moves to the entry after e in its chain, or to the next non-empty chain.
func (it *hashIterator) advance(e *entry) {
	for it.next = e; it.next == nil && it.bucket < len(it.s.buckets); it.bucket++ {
		it.next = it.s.buckets[it.bucket]
	}
}

func (it *hashIterator) HasNext() bool { return it.next != nil }

func (it *hashIterator) Next() int {
	if it.s.changes != it.expected {
		panic(changed)
	}
	e := it.next
	if e == nil {
		panic(exhausted)
	}
	it.advance(e.next)
	return e.n
}

// A treeSet is a binary search tree, not balanced.
type treeSet struct {
	root    *node
	size    int
	changes int
}

type node struct {
	n           int
	left, right *node
}

// slot returns the position of n, or where n would be inserted.
func (s *treeSet) slot(n int) **node {
	at := &s.root
	for *at != nil && (*at).n != n {
		if n < (*at).n {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	return at
}

func (s *treeSet) Contains(n int) bool { return *s.slot(n) != nil }

func (s *treeSet) Add(n int) bool {
	at := s.slot(n)
	if *at != nil {
		return false
	}
	*at = &node{n: n}
	s.size++
	s.changes++
	return true
}

func (s *treeSet) Remove(n int) bool {
	at := s.slot(n)
	e := *at
	switch {
	case e == nil:
		return false
	case e.left == nil:
		*at = e.right
	case e.right == nil:
		*at = e.left
	default: // the smallest larger element takes its place
		least := &e.right
		for (*least).left != nil {
			least = &(*least).left
		}
		e.n = (*least).n
		*least = (*least).right
	}
	s.size--
	s.changes++
	return true
}

func (s *treeSet) Clear() {
	s.changes++
	s.size, s.root = 0, nil
}

func (s *treeSet) Iterator() iterator {
	it := &treeIterator{s: s, expected: s.changes}
	it.down(s.root)
	return it
}

type treeIterator struct {
	s        *treeSet
	path     []*node // nodes whose left sides were visited
	expected int
}

func (it *treeIterator) down(e *node) {
	for ; e != nil; e = e.left {
		it.path = append(it.path, e)
	}
}

func (it *treeIterator) HasNext() bool { return len(it.path) > 0 }

func (it *treeIterator) Next() int {
	if len(it.path) == 0 {
		panic(exhausted)
	}
	if it.s.changes != it.expected {
		panic(changed)
	}
	e := it.path[len(it.path)-1]
	it.path = it.path[:len(it.path)-1]
	it.down(e.right)
	return e.n
}
