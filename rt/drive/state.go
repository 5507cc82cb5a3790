package drive

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"heddle/rt/hook"
	"heddle/rt/sched"
)

// What programs give the standard library is put back between executions too, -isolate=vars: flags
// and arguments, the standard logger, handlers of the default server, published variables,
// database drivers, the standard streams, the environment and the working directory. A program may
// set each of them up once only, and every execution does. With goroutines outside control, which
// may be using it, it stays as it is.

// A state is what it was when the first execution of a test began.
type state struct {
	vars    *saved
	environ []string
	dir     string
}

// saveState returns the state of the standard library.
func saveState() *state {
	st := &state{environ: os.Environ()}
	st.dir, _ = os.Getwd()
	st.vars = saveVars(hook.StateVars)
	hook.Moved = false
	return st
}

// restore puts it back.
func (st *state) restore() {
	if sched.S.Outsiders() > 0 {
		return
	}
	if !hook.Moved {
		st.vars.restoreRoots() // the variables, which may be assigned to
		return
	}
	hook.Moved = false
	st.vars.restore()
	st.restoreEnvironment()
	if dir, err := os.Getwd(); st.dir != "" && (err != nil || dir != st.dir) {
		os.Chdir(st.dir)
	}
	hook.Moved = false // setting the environment says that it moved
}

func (st *state) restoreEnvironment() {
	if slices.Equal(os.Environ(), st.environ) {
		return
	}
	os.Clearenv()
	for _, v := range st.environ {
		if name, value, ok := strings.Cut(v, "="); ok && name != "" {
			os.Setenv(name, value)
		}
	}
}

// stateTypes are types of the standard library that are memory alone, beside all of packages flag,
// log and expvar.
var stateTypes = map[string]bool{
	"net/http.ServeMux": true, "net/http.routingNode": true, "net/http.routingIndex": true,
	"net/http.mapping": true, "net/http.entry": true,
	"net/http.routingIndexKey": true, "net/http.Client": true, "net/http.serveMux121": true,
	"net/http.muxEntry": true,
}

// memory reports whether t is such a type.
func memory(t reflect.Type) bool {
	switch t.PkgPath() {
	case "flag", "log", "expvar":
		return true
	case "net/http":
		name, _, _ := strings.Cut(t.Name(), "[")
		return stateTypes["net/http."+name]
	}
	return false
}

// A savedSync is a sync.Map with what was in it.
type savedSync struct {
	live *sync.Map
	vals map[any]any
}

func (s *saved) saveSync(m *sync.Map) {
	b := savedSync{m, make(map[any]any)}
	for k, v := range m.Range {
		if s.bytes += 64; s.bytes > maxSaved {
			s.full = true
			return
		}
		b.vals[k] = v
		s.walk(reflect.ValueOf(v))
	}
	s.syncs = append(s.syncs, b)
}

func (b *savedSync) restore() {
	n, same := 0, true
	for k, v := range b.live.Range {
		was, ok := b.vals[k]
		n, same = n+1, same && ok && sameValue(reflect.ValueOf(v), reflect.ValueOf(was))
	}
	if same && n == len(b.vals) {
		return
	}
	b.live.Clear()
	for k, v := range b.vals {
		b.live.Store(k, v)
	}
}
