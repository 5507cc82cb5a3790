// Package render renders pages with buffers from a pool.
package render

import (
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Page renders a page.
func Page(name string) []byte {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString("<h1>")
	b.WriteString(name)
	out := b.Bytes()
	pool.Put(b)
	return out
}
