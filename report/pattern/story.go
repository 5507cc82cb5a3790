package pattern

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"heddle/model"
	"heddle/report/syntax"
	"heddle/rt/wire"
	"heddle/trace"
)

// An act is one event or access of a story.
type act struct {
	*wire.Event
	op   trace.Op
	i    int    // index in the story
	held []hold // the locks that its goroutine holds before it
}

// A hold is a lock that a goroutine holds.
type hold struct {
	obj    int
	shared bool // for reading only
	since  int  // the act that took it
}

// A story is a finding with what its goroutines did.
type story struct {
	f      *wire.Finding
	acts   []act
	waits  []act          // what goroutines wait for at the end
	names  map[int]string // of objects
	source *sources

	library func(wire.Place) bool
}

// read prepares the story of a finding.
func read(f *wire.Finding, source *syntax.Files) *story {
	s := &story{f: f, names: map[int]string{}, source: &sources{source}}
	held := map[string][]hold{}
	for i := range f.Story {
		e := &f.Story[i]
		word, _, _ := strings.Cut(e.Op, " ")
		op, ok := trace.ParseOp(word)
		if !ok {
			op = trace.OpNone
		}
		a := act{Event: e, op: op, i: len(s.acts), held: held[e.G]}
		if e.Waits {
			s.waits = append(s.waits, a)
			continue
		}
		s.acts = append(s.acts, a)
		if !failed(a) {
			held[e.G] = s.after(a)
		}
		if n := e.Where.Object; n != "" && s.names[e.Obj] == "" && !strings.Contains(n, "<-") &&
			op != trace.OpGo && op != trace.OpStart && op != trace.OpUnlock && op != trace.OpRUnlock {
			s.names[e.Obj] = n
		}
	}
	s.nameLocks()
	return s
}

// after returns the locks that the goroutine of a holds after it.
func (s *story) after(a act) []hold {
	section, certain := model.SectionOfOp(a.op)
	if a.op == trace.OpTryLock || a.op == trace.OpTryRLock {
		if strings.HasSuffix(a.Op, "(fails)") {
			return a.held
		}
		section, certain = model.Enter, true
		if a.op == trace.OpTryRLock {
			section = model.EnterShared
		}
	}
	switch {
	case !certain:
	case section.Enters():
		return append(slices.Clip(a.held), hold{a.Obj, section == model.EnterShared, a.i})
	case section.Leaves():
		for j, h := range slices.Backward(a.held) {
			if h.obj == a.Obj {
				return slices.Delete(slices.Clone(a.held), j, j+1)
			}
		}
	}
	return a.held
}

// nameLocks names locks whose operations share a line: the n-th lock that a goroutine takes there
// is the n-th that the line names.
func (s *story) nameLocks() {
	type at struct {
		g, file string
		line    int
	}
	nth := map[at]int{}
	all := slices.Concat(s.acts, s.waits)
	for _, a := range all {
		section, _ := model.SectionOfOp(a.op)
		if !section.Enters() && !(a.Waits && a.op == trace.OpArrive) || a.Where.Line == 0 {
			continue
		}
		k := at{a.G, a.Where.File, a.Where.Line}
		receivers := s.source.Calls(a.Where.File, a.Where.Line, "Lock", "RLock")
		if n := nth[k]; s.names[a.Obj] == "" && n < len(receivers) {
			s.names[a.Obj] = receivers[n]
		}
		nth[k]++
	}
}

// name returns the source's name of the object of a.
func (s *story) name(a act) string {
	if n := a.Where.Object; n != "" && !strings.Contains(n, "<-") && a.op != trace.OpUnlock &&
		a.op != trace.OpRUnlock {
		return n
	}
	return s.names[a.Obj]
}

// lock returns the source's name of a lock.
func (s *story) lock(obj int) string { return cmp.Or(s.names[obj], "the lock") }

// last returns the last act before i for which is holds.
func (s *story) last(i int, is func(a act) bool) (act, bool) {
	for ; i > 0; i-- {
		if is(s.acts[i-1]) {
			return s.acts[i-1], true
		}
	}
	return act{}, false
}

// first returns the first act from i on for which is holds.
func (s *story) first(i int, is func(a act) bool) (act, bool) {
	for ; i < len(s.acts); i++ {
		if is(s.acts[i]) {
			return s.acts[i], true
		}
	}
	return act{}, false
}

// ended reports whether a goroutine came to its end.
func (s *story) ended(g string) bool {
	return !slices.ContainsFunc(s.waits, func(a act) bool { return a.G == g })
}

// at returns the position of a place as a reader finds it: "queue.go:31".
func at(p wire.Place) string {
	if p.File == "" {
		return "an unknown place"
	}
	return filepath.Base(filepath.ToSlash(p.File)) + ":" + strconv.Itoa(p.Line)
}

// samePlace compares positions by line and base name, as paths may differ.
func samePlace(a, b wire.Place) bool {
	return a.Line == b.Line && a.Line != 0 && filepath.Base(a.File) == filepath.Base(b.File)
}

// failed reports whether an operation was forbidden: it panicked.
func failed(a act) bool {
	switch a.op {
	case trace.OpSend, trace.OpClose, trace.OpUnlock, trace.OpRUnlock:
		return a.Arg == -1
	}
	return false
}

func isRead(a act) bool {
	switch a.op {
	case trace.OpRead, trace.OpAtomicLoad, trace.OpMapLoad, trace.OpMapRange:
		return true
	}
	return false
}

func isWrite(a act) bool { return Writes(a.op) }

// Writes reports whether an operation of a story writes memory or a map.
func Writes(op trace.Op) bool {
	switch op {
	case trace.OpWrite, trace.OpAtomicStore, trace.OpMapStore, trace.OpAtomicRMW:
		return true
	}
	return false
}

func isAtomic(a act) bool {
	switch a.op {
	case trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW:
		return true
	}
	return false
}

func isMap(a act) bool {
	switch a.op {
	case trace.OpMapLoad, trace.OpMapStore, trace.OpMapRange:
		return true
	}
	return false
}

// waitsForOthers reports whether an act lets its goroutine see what others have done on purpose.
func waitsForOthers(a act) bool {
	switch a.op {
	case trace.OpWGWait, trace.OpRecv, trace.OpSelect, trace.OpCondWait, trace.OpCondWake, trace.OpSleep,
		trace.OpResume, trace.OpAwait, trace.OpIdle, trace.OpOnce:
		return true
	}
	return false
}

// some is list for what may be many goroutines.
func some(names []string) string {
	if n := len(names) - 3; n > 1 {
		return list(append(names[:3:3], strconv.Itoa(n)+" more"))
	}
	return list(names)
}

func list(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
