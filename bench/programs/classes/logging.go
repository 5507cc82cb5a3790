package classes

import "sync"

// A Logger is V8, of JDK 1.4.1: the filter is checked and used in two reads.
type Logger struct {
	mu      sync.Mutex
	level   int
	filter  *Filter
	written []string
}

// A Filter says what is written.
type Filter struct{ least int }

// NewLogger returns a logger with a filter.
func NewLogger(least int) *Logger { return &Logger{filter: &Filter{least}} }

func (f *Filter) loggable(level int) bool { return level >= f.least }

// Log writes a message.
func (l *Logger) Log(level int, text string) {
	if level < l.Level() {
		return
	}
	if l.Filter() != nil && !l.Filter().loggable(level) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written = append(l.written, text)
}

// Level returns the least level that is logged.
func (l *Logger) Level() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.level
}

// Filter returns the filter.
func (l *Logger) Filter() *Filter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.filter
}

// SetFilter changes the filter, nil: none.
func (l *Logger) SetFilter(f *Filter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.filter = f
}

// Appenders is V17, AppenderAttachableImpl of Log4j, the example of the paper: the
// list can be gone between two reads of it.
type Appenders struct{ list *appenderList }

type appenderList struct{ all []*Appender }

// An Appender is a destination of messages.
type Appender struct{ closed bool }

// Add attaches an appender.
func (a *Appenders) Add(x *Appender) {
	if a.list == nil {
		a.list = new(appenderList)
	}
	a.list.all = append(a.list.all, x)
}

// Attached reports whether x is attached.
func (a *Appenders) Attached(x *Appender) bool {
	if a.list == nil || x == nil {
		return false
	}
	size := len(a.list.all)
	for i := range size {
		if a.list.all[i] == x {
			return true
		}
	}
	return false
}

// RemoveAll closes and detaches all.
func (a *Appenders) RemoveAll() {
	if a.list != nil {
		n := len(a.list.all)
		for i := range n {
			a.list.all[i].closed = true
		}
		a.list = nil
	}
}

// A FileAppender is V18, of Log4j: it checks whether it is open before, and outside of, the
// critical section that writes.
type FileAppender struct {
	mu     sync.Mutex
	out    *writer
	header bool
	closed bool
}

type writer struct{ lines []string }

// NewFileAppender returns an open FileAppender.
func NewFileAppender() *FileAppender { return &FileAppender{out: new(writer)} }

// Append writes a line.
func (a *FileAppender) Append(line string) {
	if !a.open() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.header {
		a.header = true
		a.out.lines = append(a.out.lines, "header")
	}
	a.out.lines = append(a.out.lines, line)
}

func (a *FileAppender) open() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.closed && a.out != nil
}

// Close closes the file.
func (a *FileAppender) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.out = nil
}

// A NullAppender is V19, of Log4j: a singleton that is built on the first request, without a lock.
type NullAppender struct{ name string }

// NullAppenders builds the NullAppender.
type NullAppenders struct {
	mu       sync.Mutex
	instance *NullAppender
	made     int
}

// Instance returns the only one.
func (n *NullAppenders) Instance() *NullAppender {
	if n.instance == nil {
		n.instance = &NullAppender{name: "null"}
		n.mu.Lock()
		n.made++
		n.mu.Unlock()
	}
	return n.instance
}

// Made returns the number of NullAppenders that were built.
func (n *NullAppenders) Made() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.made
}

// A Mapper is V20, XStream: converters are looked up once and cached. The cache can be flushed
// between the check for an entry and its use.
type Mapper struct {
	mu    sync.Mutex
	types []string
	found []*converter
	cache sync.Mutex
	uses  int
}

type converter struct{ name string }

// Convert names a value of a type.
func (m *Mapper) Convert(kind string) string {
	if !m.cached(kind) {
		m.register(kind)
	}
	m.count()
	return m.lookup(kind).name
}

func (m *Mapper) cached(kind string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.index(kind) >= 0
}

func (m *Mapper) index(kind string) int {
	for i, t := range m.types {
		if t == kind {
			return i
		}
	}
	return -1
}

func (m *Mapper) register(kind string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.types = append(m.types, kind)
	m.found = append(m.found, &converter{kind})
}

func (m *Mapper) lookup(kind string) *converter {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.index(kind); i >= 0 {
		return m.found[i]
	}
	return nil
}

func (m *Mapper) count() {
	m.cache.Lock()
	defer m.cache.Unlock()
	m.uses++
}

// Flush empties the cache.
func (m *Mapper) Flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.types, m.found = nil, nil
}
