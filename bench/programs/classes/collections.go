package classes

import "sync"

// A BufferedInput is V5, BufferedInputStream of JDK 1.1: reading is synchronized, closing is not.
type BufferedInput struct {
	mu    sync.Mutex
	in    *input
	buf   []byte
	pos   int
	count int
}

type input struct{ data []byte }

// NewBufferedInput reads data through a buffer of n bytes.
func NewBufferedInput(data []byte, n int) *BufferedInput {
	return &BufferedInput{in: &input{data}, buf: make([]byte, n)}
}

// Read returns the next byte, -1 at the end.
func (b *BufferedInput) Read() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.in == nil {
		return -1
	}
	if b.pos >= b.count {
		b.fill()
		if b.pos >= b.count {
			return -1
		}
	}
	c := b.buf[b.pos]
	b.pos++
	return int(c)
}

func (b *BufferedInput) fill() {
	b.pos, b.count = 0, copy(b.buf, b.in.data)
	b.in.data = b.in.data[b.count:]
}

// Close releases the stream.
func (b *BufferedInput) Close() {
	if b.in == nil {
		return
	}
	b.in = nil
}

// A ShardedMap is V6, ConcurrentHashMap of JDK 1.6: operations on all segments take their locks
// one after the other. Clear can leave keys that were added before it ended.
type ShardedMap struct{ segments [2]segment }

type segment struct {
	mu   sync.Mutex
	keys []int
	n    int
}

func (m *ShardedMap) segment(key int) *segment { return &m.segments[key%len(m.segments)] }

// Put adds a key.
func (m *ShardedMap) Put(key int) {
	s := m.segment(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keys {
		if k == key {
			return
		}
	}
	s.keys = append(s.keys, key)
	s.n++
}

// Contains reports whether a key was added.
func (m *ShardedMap) Contains(key int) bool {
	s := m.segment(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keys {
		if k == key {
			return true
		}
	}
	return false
}

// Size returns the number of keys.
func (m *ShardedMap) Size() int {
	n := 0
	for i := range m.segments {
		s := &m.segments[i]
		s.mu.Lock()
		n += s.n
		s.mu.Unlock()
	}
	return n
}

// Clear removes all keys.
func (m *ShardedMap) Clear() {
	for i := range m.segments {
		s := &m.segments[i]
		s.mu.Lock()
		s.keys, s.n = nil, 0
		s.mu.Unlock()
	}
}

// A Hashtable is V7, of JDK 1.6: its methods are synchronized, but its enumerations are not.
type Hashtable struct {
	mu    sync.Mutex
	table [][]int
	count int
}

// NewHashtable returns a table of n buckets.
func NewHashtable(n int) *Hashtable { return &Hashtable{table: make([][]int, n)} }

// Put adds a key.
func (h *Hashtable) Put(key int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := key % len(h.table)
	h.table[i] = append(h.table[i], key)
	h.count++
}

// Remove removes a key.
func (h *Hashtable) Remove(key int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := &h.table[key%len(h.table)]
	for i, k := range *b {
		if k == key {
			*b = append((*b)[:i:i], (*b)[i+1:]...)
			h.count--
			return
		}
	}
}

// Keys returns an enumeration of the keys.
func (h *Hashtable) Keys() *Enumeration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &Enumeration{h: h, bucket: len(h.table) - 1}
}

// An Enumeration goes over the keys of a table.
type Enumeration struct {
	h             *Hashtable
	bucket, entry int
}

// More reports whether there is another key.
func (e *Enumeration) More() bool {
	for e.bucket >= 0 && e.entry >= len(e.h.table[e.bucket]) {
		e.bucket--
		e.entry = 0
	}
	return e.bucket >= 0
}

// Next returns the next key.
func (e *Enumeration) Next() int {
	if !e.More() {
		panic("no such element")
	}
	k := e.h.table[e.bucket][e.entry]
	e.entry++
	return k
}

// A StringBuffer is V9, of JDK 1.6: Append locks its own buffer, and the other one twice.
type StringBuffer struct {
	mu   sync.Mutex
	text []byte
	n    int
}

// NewStringBuffer returns a buffer that holds s.
func NewStringBuffer(s string) *StringBuffer { return &StringBuffer{text: []byte(s), n: len(s)} }

// Len returns the number of bytes.
func (b *StringBuffer) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// Append appends what another buffer holds.
func (b *StringBuffer) Append(o *StringBuffer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := o.Len()
	dst := make([]byte, n)
	o.copyTo(dst, n)
	b.text = append(b.text[:b.n], dst...)
	b.n += n
}

func (b *StringBuffer) copyTo(dst []byte, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.n {
		panic("string index out of bounds")
	}
	copy(dst, b.text[:n])
}

// Delete removes all from byte i on.
func (b *StringBuffer) Delete(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n = i
	b.text = b.text[:i]
}

// A Vector is V10 and V11, of JDK 1.1.7 and 1.4.2.
type Vector struct {
	mu   sync.Mutex
	data []int
	n    int
}

// NewVector is the constructor that copies another collection (V11): it asks for
// the size first, and for the elements afterwards.
func NewVector(c *Vector) *Vector {
	v := &Vector{n: c.Size()}
	v.data = make([]int, v.n)
	c.CopyInto(v.data)
	return v
}

// Size returns the number of elements.
func (v *Vector) Size() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}

// CopyInto copies all elements into a.
func (v *Vector) CopyInto(a []int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.n {
		a[i] = v.data[i]
	}
}

// Add appends an element.
func (v *Vector) Add(x int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.data = append(v.data[:v.n], x)
	v.n++
}

// RemoveAll removes all elements.
func (v *Vector) RemoveAll() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.data = nil
	v.n = 0
}

// LastIndex finds x from behind (V10): the size is read outside the lock.
func (v *Vector) LastIndex(x int) int { return v.lastIndexFrom(x, v.n-1) }

func (v *Vector) lastIndexFrom(x, i int) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	for ; i >= 0; i-- {
		if v.data[i] == x {
			return i
		}
	}
	return -1
}
