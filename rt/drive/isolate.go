package drive

import (
	"reflect"
	"sync"
	"unsafe"

	"heddle/rt/hook"
	"heddle/rt/sched"
)

// Isolation of executions from each other, -isolate=vars: the package-level variables of the
// packages under test, and what they point to, are as they were when the first execution of the
// binary began (after init functions and TestMain's preparations).
//
// What is saved is memory, block by block: the variable itself, then whatever is reachable through
// pointers, slices, maps and interfaces. Restoring compares a block with its copy first, so what
// did not change costs a comparison. Left alone are functions, unsafe pointers, and memory of
// types of the standard library beyond package sync (an *os.File has state outside the process). A
// channel that was used or closed is emptied and opened again; where a goroutine outside control
// waits at it, it is replaced by a fresh one.

// maxSaved bounds the bytes that are saved: large tables are not state.
const maxSaved = 8 << 20

type saved struct {
	blocks []savedBlock
	maps   []savedMap
	chans  []savedChan
	bytes  uintptr
	seen   map[seenKey]bool
	full   bool
	syncs  []savedSync
	roots  []int // blocks of the variables

	strangers bool // goroutines outside control were there

	// What goroutines outside control use is not put back: see hook.Touch.
	known    int          // of hook.NTouched
	held     map[int]bool // blocks
	heldMaps map[int]bool

	// While it walks: the name of what it comes to next, see places, and the block that it is in.
	at uint64
	in *savedBlock
}

type seenKey struct {
	p uintptr
	t reflect.Type
}

type savedBlock struct {
	live reflect.Value // settable
	copy reflect.Value
	p    unsafe.Pointer
	q    unsafe.Pointer
	n    uintptr
	name uint64 // the same in every process of the test binary, 0: not known
}

type savedMap struct {
	live reflect.Value
	keys []reflect.Value
	vals reflect.Value // a slice with the value of each key
	slot reflect.Value // for a value, which can be compared byte by byte there
}

type savedChan struct {
	at   reflect.Value // the variable or field, settable
	cap  int
	n    int
	held []reflect.Value // what was in its buffer
}

// save walks everything reachable from the registered variables.
func save() *saved { return saveVars(hook.GlobalVars) }

func saveVars(vars []any) *saved {
	s := &saved{seen: make(map[seenKey]bool), strangers: sched.S.Outsiders() > 0}
	for i, v := range vars {
		s.at = placeIn(1, uint64(i))
		rv := reflect.ValueOf(v)
		if rv.Kind() == reflect.Pointer && !rv.IsNil() {
			n := len(s.blocks)
			s.block(rv.UnsafePointer(), rv.Type().Elem())
			if len(s.blocks) > n {
				s.roots = append(s.roots, n)
			}
		}
	}
	return s
}

// block saves one piece of memory of type t and goes on through its pointers.
func (s *saved) block(p unsafe.Pointer, t reflect.Type) {
	k := seenKey{uintptr(p), t}
	if s.full || s.seen[k] || t.Size() == 0 {
		return
	}
	s.seen[k] = true
	if s.bytes += t.Size(); s.bytes > maxSaved {
		s.full = true
		return
	}
	live := reflect.NewAt(t, p).Elem()
	c := reflect.New(t)
	c.Elem().Set(live)
	b := savedBlock{live: live, copy: c.Elem(), p: p, q: c.UnsafePointer(), n: t.Size(), name: s.at}
	s.blocks = append(s.blocks, b)
	was := s.in
	s.in = &b
	s.walk(live)
	s.in = was
}

// ours reports whether the memory behind a pointer to t is the program's to put back, or is the
// standard library's to be put back with it.
func (s *saved) ours(t reflect.Type) bool { return ours(t) || !s.strangers && memory(t) }

// ours reports whether the memory behind a pointer to t is the program's to put back.
func ours(t reflect.Type) bool {
	pkg := t.PkgPath()
	if pkg == "" {
		return true
	}
	switch pkg {
	case "sync", "sync/atomic", "container/list", "container/ring", "bytes", "strings", "time", "errors",
		"math/rand", "math/rand/v2", "math/big":
		return true
	}
	return !standard(pkg)
}

// standard reports whether an import path is the standard library's, whose
// first element has no dot; modules of one word are told apart by goroot in
// quiet, here they are taken for the program's own only if registered.
func standard(pkg string) bool {
	for _, v := range hook.GlobalVars {
		if t := reflect.TypeOf(v).Elem(); t.PkgPath() == pkg {
			return false
		}
	}
	for i := 0; i < len(pkg) && pkg[i] != '/'; i++ {
		if pkg[i] == '.' {
			return false
		}
	}
	return stdPackages[first(pkg)]
}

func first(pkg string) string {
	for i := 0; i < len(pkg); i++ {
		if pkg[i] == '/' {
			return pkg[:i]
		}
	}
	return pkg
}

// stdPackages are the first elements of the standard library's import paths.
var stdPackages = map[string]bool{
	"archive": true, "bufio": true, "bytes": true, "compress": true, "container": true, "context": true,
	"crypto": true, "database": true,
	"debug": true, "embed": true, "encoding": true, "errors": true, "expvar": true, "flag": true, "fmt": true,
	"go": true, "hash": true,
	"html": true, "image": true, "index": true, "internal": true, "io": true, "iter": true, "log": true,
	"maps": true, "math": true,
	"mime": true, "net": true, "os": true, "path": true, "plugin": true, "reflect": true, "regexp": true,
	"runtime": true, "slices": true,
	"sort": true, "strconv": true, "strings": true, "structs": true, "sync": true, "syscall": true,
	"testing": true, "text": true,
	"time": true, "unicode": true, "unique": true, "unsafe": true, "vendor": true, "weak": true,
	"heddlert": true,
}

func (s *saved) walk(v reflect.Value) {
	if s.full {
		return
	}
	if v.CanAddr() {
		s.at = placeIn(s.in.name, uint64(v.UnsafeAddr()-uintptr(s.in.p)))
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && s.ours(v.Type().Elem()) {
			s.block(v.UnsafePointer(), v.Type().Elem())
		}
	case reflect.Interface:
		if e := v.Elem(); e.IsValid() {
			s.walk(e)
		}
	case reflect.Struct:
		if !s.ours(v.Type()) {
			return
		}
		if v.Type() == reflect.TypeFor[sync.Map]() && v.CanAddr() && !s.strangers {
			s.saveSync((*sync.Map)(v.Addr().UnsafePointer()))
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); pointers(f.Type()) {
				s.walk(f)
			}
		}
	case reflect.Array:
		if pointers(v.Type().Elem()) {
			for i := range v.Len() {
				s.walk(v.Index(i))
			}
		}
	case reflect.Slice:
		if v.Cap() > 0 && s.ours(v.Type()) {
			s.block(v.UnsafePointer(), reflect.ArrayOf(v.Cap(), v.Type().Elem()))
		}
	case reflect.Map:
		s.savemap(v)
	case reflect.Chan:
		if !v.IsNil() && v.CanAddr() && v.Type().ChanDir() == reflect.BothDir {
			at := reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
			if !closed(at) { // else it stays so
				s.chans = append(s.chans, savedChan{at: at, cap: v.Cap(), n: v.Len(), held: buffered(at)})
			}
		}
	}
}

func (s *saved) savemap(v reflect.Value) {
	k := seenKey{uintptr(v.UnsafePointer()), v.Type()}
	if v.IsNil() || s.seen[k] {
		return
	}
	s.seen[k] = true
	m, at := savedMap{live: settable(v), slot: reflect.New(v.Type().Elem()).Elem()}, s.at
	m.vals = reflect.MakeSlice(reflect.SliceOf(v.Type().Elem()), 0, v.Len())
	for it := m.live.MapRange(); it.Next(); {
		if s.bytes += 64; s.bytes > maxSaved {
			s.full = true
			return
		}
		m.keys = append(m.keys, it.Key())
		m.vals = reflect.Append(m.vals, it.Value())
		s.at = placeOf(at, it.Key())
		s.walk(it.Value())
	}
	s.maps = append(s.maps, m)
}

// settable returns v without the mark of having been reached through an unexported field.
func settable(v reflect.Value) reflect.Value {
	if v.CanInterface() {
		return v
	}
	p := v.UnsafePointer() // maps are pointers
	return reflect.NewAt(v.Type(), unsafe.Pointer(&p)).Elem()
}

// restoreRoots puts back the variables themselves, not what they refer to.
func (s *saved) restoreRoots() {
	for _, i := range s.roots {
		if b := &s.blocks[i]; !s.held[i] && !sameBytes(b.p, b.q, b.n) {
			b.live.Set(b.copy)
		}
	}
}

// restore puts back what an execution changed, but for what goroutines outside control use.
func (s *saved) restore() {
	hook.Strangers = sched.S.Outsiders() > 0
	hook.Between()
	if !s.spare() {
		return
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		if !s.held[i] && !sameBytes(b.p, b.q, b.n) {
			b.live.Set(b.copy)
		}
	}
	for i := range s.maps {
		if !s.heldMaps[i] {
			s.maps[i].restore()
		}
	}
	for i := range s.syncs {
		s.syncs[i].restore()
	}
	for i := range s.chans {
		c := &s.chans[i]
		if c.at.Len() != c.n || closed(c.at) {
			s.renew(c)
		}
	}
}

// spare looks up what goroutines outside control have touched since it was called last, so that it
// is spared from now on; false: that is too much to know.
func (s *saved) spare() bool {
	n := hook.NTouched
	if n > len(hook.Touched) {
		return false
	}
	if n < s.known { // two goroutines came at once, and the later one set it back
		s.known = 0
	}
	for _, p := range hook.Touched[s.known:n] {
		for i := range s.blocks {
			if b := &s.blocks[i]; p-uintptr(b.p) < b.n {
				s.spared(&s.held, i)
			}
		}
		for i := range s.maps {
			if s.maps[i].live.Pointer() == p {
				s.spared(&s.heldMaps, i)
			}
		}
	}
	s.known = n
	return true
}

func (s *saved) spared(held *map[int]bool, i int) {
	if *held == nil {
		*held = map[int]bool{}
	}
	(*held)[i] = true
}

// renew makes a channel what it was. It is the same one if that can be: executions agree on
// objects by where they are.
func (s *saved) renew(c *savedChan) {
	now, old := c.at, c.at.Pointer()
	same := sched.Reopen(c.at.UnsafePointer())
	if !same {
		now = reflect.MakeChan(c.at.Type(), c.cap)
	}
	for _, v := range c.held {
		now.TrySend(v) // there is room, but for what a goroutine outside control sends meanwhile
	}
	if !same {
		s.replaceChan(old, now) // the saved memory refers to the new one from now on
	}
}

// replaceChan puts fresh wherever the saved memory has the channel old.
func (s *saved) replaceChan(old uintptr, fresh reflect.Value) {
	for i := range s.chans {
		if c := &s.chans[i]; c.at.Pointer() == old {
			c.at.Set(fresh)
			c.n = fresh.Len()
			for j := range s.blocks {
				b := &s.blocks[j]
				off := c.at.Addr().Pointer() - uintptr(b.p)
				if off < b.n {
					reflect.NewAt(c.at.Type(), unsafe.Add(b.q, off)).Elem().Set(fresh)
				}
			}
		}
	}
}

// buffered returns what is in a channel's buffer, by taking it out and putting it back.
func buffered(c reflect.Value) (vs []reflect.Value) {
	if sched.S.Outsiders() > 0 {
		return nil // one of them might come in between
	}
	for range c.Len() {
		v, _ := c.TryRecv()
		vs = append(vs, v)
	}
	for _, v := range vs {
		c.TrySend(v)
	}
	return vs
}

// closed reports whether a channel is closed.
func closed(c reflect.Value) bool {
	if c.Len() > 0 {
		return sched.ChanClosed(c.UnsafePointer())
	}
	v, ok := c.TryRecv()
	return v.IsValid() && !ok
}

func (m *savedMap) restore() {
	same := m.live.Len() == len(m.keys)
	for i := 0; same && i < len(m.keys); i++ {
		v := m.live.MapIndex(m.keys[i])
		same = v.IsValid() && m.holds(i, v)
	}
	if same {
		return
	}
	m.live.Clear()
	for i, k := range m.keys {
		m.live.SetMapIndex(k, m.vals.Index(i))
	}
	m.slot.SetZero()
}

// holds reports whether v is the value of key i.
func (m *savedMap) holds(i int, v reflect.Value) bool {
	m.slot.Set(v)
	was := m.vals.Index(i)
	return sameBytes(m.slot.Addr().UnsafePointer(), was.Addr().UnsafePointer(), v.Type().Size()) ||
		sameValue(v, was)
}

func sameValue(a, b reflect.Value) bool {
	if !a.Comparable() || !b.Comparable() {
		return false
	}
	return a.Equal(b)
}

func sameBytes(p, q unsafe.Pointer, n uintptr) bool {
	return unsafe.String((*byte)(p), n) == unsafe.String((*byte)(q), n)
}

// pointers reports whether values of t may lead to other memory.
func pointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Chan, reflect.Struct:
		return true
	case reflect.Array:
		return pointers(t.Elem())
	}
	return false
}
