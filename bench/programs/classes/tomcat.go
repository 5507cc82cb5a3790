package classes

import "sync"

// An InputBuffer is V3, of Apache Tomcat's connector: it has no lock, and Recycle may remove the
// chunk between Next's check and its use.
type InputBuffer struct {
	chunk  []byte
	pos    int
	closed bool
	marked int
	source func() []byte
}

// NewInputBuffer returns a buffer that reads from source.
func NewInputBuffer(source func() []byte) *InputBuffer { return &InputBuffer{source: source} }

// Next returns the next byte, -1 at the end.
func (b *InputBuffer) Next() int {
	if b.closed {
		panic("the stream is closed")
	}
	if b.pos >= len(b.chunk) && !b.fill() {
		return -1
	}
	c := b.chunk[b.pos]
	b.pos++
	return int(c)
}

func (b *InputBuffer) fill() bool {
	if b.source == nil {
		return false
	}
	b.chunk, b.pos = b.source(), 0
	return len(b.chunk) > 0
}

// Available returns how many bytes can be read at once.
func (b *InputBuffer) Available() int { return len(b.chunk) - b.pos }

// Recycle makes the buffer ready for the next request.
func (b *InputBuffer) Recycle() {
	b.marked = -1
	b.pos = 0
	b.closed = false
	b.chunk = nil
}

// A Request is V4, of Apache Tomcat's connector: the flag for parsed parameters is set before they
// are parsed, so a second goroutine finds none.
type Request struct {
	mu      sync.Mutex
	parsed  bool
	query   string
	names   []string
	values  []string
	session int
	local   string
}

// NewRequest returns a request with a query such as "a=1&b=2".
func NewRequest(query string) *Request { return &Request{query: query} }

// Parameter returns the value of a parameter.
func (r *Request) Parameter(name string) string {
	if !r.parsed {
		r.parse()
	}
	for i, n := range r.names {
		if n == name {
			return r.values[i]
		}
	}
	return ""
}

func (r *Request) parse() {
	r.parsed = true
	start, eq := 0, -1
	for i := 0; i <= len(r.query); i++ {
		switch {
		case i == len(r.query) || r.query[i] == '&':
			if eq > start {
				r.names = append(r.names, r.query[start:eq])
				r.values = append(r.values, r.query[eq+1:i])
			}
			start, eq = i+1, -1
		case r.query[i] == '=':
			eq = i
		}
	}
}

// Session returns the session, which is made on the first request.
func (r *Request) Session() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == 0 {
		r.session = 1
	}
	return r.session
}

// SetLocale sets the language.
func (r *Request) SetLocale(l string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.local = l
}
