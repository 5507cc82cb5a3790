package pecan

import "sync"

// A StringBuffer is Java's: all its methods lock it.
type StringBuffer struct {
	mu    sync.Mutex
	value []byte
	count int
}

// NewStringBuffer returns a StringBuffer with text s.
func NewStringBuffer(s string) *StringBuffer {
	return &StringBuffer{value: []byte(s), count: len(s)}
}

// Length returns the number of characters.
func (b *StringBuffer) Length() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count
}

// GetChars copies the first n characters. It panics if there are fewer.
func (b *StringBuffer) GetChars(n int, to []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.count {
		panic("string index out of bounds")
	}
	copy(to, b.value[:n])
}

// SetLength truncates the text to n characters.
func (b *StringBuffer) SetLength(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count = n
}

// Append appends another StringBuffer. It asks for the length first, and then for the characters:
// the bug.
func (b *StringBuffer) Append(o *StringBuffer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := o.Length()
	value := make([]byte, b.count+n)
	copy(value, b.value[:b.count])
	o.GetChars(n, value[b.count:])
	b.value, b.count = value, b.count+n
}

// StringBuf appends a buffer that another goroutine empties.
func StringBuf() {
	a, b := NewStringBuffer("warp"), NewStringBuffer("weft")
	var wg sync.WaitGroup
	wg.Go(func() { a.Append(b) })
	wg.Go(func() { b.SetLength(0) })
	wg.Wait()
}
