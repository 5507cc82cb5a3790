package drive

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"heddle/engine"
	"heddle/engine/judge"
	"heddle/rt/counters"
	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/rt/wire"
	"heddle/symbolic/corpus"
)

// Values of tests, and flags of programs, that are inputs on request (-symbolic):
// instrument.NamedOf has tests ask here, and package flag does when flags are parsed. The input of
// a test has a part for each place that asks, in the order in which they ask for the first time:
// which of the elements that its loop goes over gets other values, if it is one, and the values.
// All other elements keep theirs.

// A place is one that asks, in one execution.
type place struct {
	names  []string
	active []int // which of its values are inputs
	row    int   // which time it gets values of the input; -1: never
	seen   int   // how often it has asked before
	rows   [][]string
	loop   bool
	by     uintptr // the goroutine that asked last

	values []any // of the input, for the active ones
	labels []flow.Label
}

// named is what the execution that runs has of such places.
var named struct {
	places map[string]*place
	order  []*place
	last   *place // that has asked last and gets values

	changed bool // some value is not the program's own
	expects bool // and what the test says of it goes by others, which are
}

// isNamed reports whether a name of the configuration means the value at path.
func isNamed(path string) bool {
	return slices.ContainsFunc(hook.Symbolic, func(name string) bool {
		return path == name || strings.HasSuffix(path, "."+name)
	})
}

// Begin reports whether values get those of the input now. It is called with all values of a place,
// which has that key. rows is how many elements the place's loop goes over, 0 if that is not known,
// -1 if it is none; paths are their names, by commas; expects says that what the test expects
// depends on more than these.
func Begin(key string, rows int, expects bool, paths string, values ...any) bool {
	if len(hook.Symbolic) == 0 || !hook.Here() {
		return false
	}
	g := hook.Cur
	hook.Cur = 0
	defer func() { hook.Cur = g }()
	return begin(g, key, rows, expects, strings.Split(paths, ","), values)
}

func begin(g uintptr, key string, rows int, expects bool, paths []string, values []any) bool {
	p := named.places[key]
	first := p == nil
	if first {
		p = &place{row: -1, seen: -1, loop: rows >= 0, names: paths, by: g}
		for i, path := range paths {
			if isNamed(path) {
				p.active = append(p.active, i)
			}
		}
		if named.places == nil {
			named.places = map[string]*place{}
		}
		named.places[key] = p
		named.order = append(named.order, p)
	}
	p.seen++
	if len(p.active) == 0 {
		return false
	}
	own := make([]any, len(p.active))
	for k, i := range p.active {
		own[k] = basic(values[i])
	}
	if given.tell {
		p.rows = append(p.rows, corpus.Texts(own))
	}
	if p.by != g { // it may be up to the schedule which comes first
		p.by = g
		PropertyBeside()
	}
	if first && given.values != nil {
		p.begin(own, rows)
	}
	if p.seen != p.row {
		return false
	}
	if !reflect.DeepEqual(own, p.values) {
		named.changed = true
		named.expects = named.expects || expects
	}
	named.last = p
	return true
}

// begin takes the part of the input that the place gets.
func (p *place) begin(own []any, rows int) {
	zero := own
	if p.loop {
		zero = append([]any{0}, own...)
	}
	if !suits(zero) {
		PropertyBeside()
		return
	}
	if given.at == 0 && given.count {
		counters.Reset()
	}
	given.labels = given.labels[:0]
	p.values = arguments(given.values[given.at:given.at+len(zero)], given.at)
	p.labels = slices.Clone(given.labels)
	given.at += len(zero)
	p.row = 0
	if p.loop {
		p.row = p.values[0].(int)
		if p.row < 0 {
			p.row = ^p.row
		}
		if rows > 0 {
			p.row %= rows
		}
		p.values, p.labels = p.values[1:], p.labels[1:]
	}
}

// Other reports whether a place that did not get values belongs to an element that is not executed:
// another one is.
func Other(key string) bool {
	p := named.places[key]
	return p != nil && p.row >= 0 && p.seen != p.row && hook.Here()
}

// Is reports whether the value with that index, of the place that has asked, is an input.
func Is(i int) bool { return slices.Contains(named.last.active, i) }

// Next returns the value with that index, of the type of v.
func Next[T any](i int, v T) T {
	p := named.last
	k := slices.Index(p.active, i)
	out := reflect.ValueOf(p.values[k]).Convert(reflect.TypeFor[T]()).Interface().(T)
	flow.Drop()
	flow.Ret(p.labels[k])
	return out
}

// giveFlags is hook.Flags.
func giveFlags(set string, names []string, flags []any) {
	values := make([]any, len(flags))
	for i, f := range flags {
		values[i] = reflect.ValueOf(f).Elem().Interface()
	}
	if !hook.Here() {
		return
	}
	g := hook.Cur
	hook.Cur = 0
	defer func() { hook.Cur = g }()
	if !begin(g, "flags "+set, -1, false, names, values) {
		return
	}
	for k, i := range named.last.active {
		to := reflect.ValueOf(flags[i]).Elem()
		to.Set(reflect.ValueOf(named.last.values[k]).Convert(to.Type()))
		hook.Cur = g
		flow.SetBytes(unsafe.Pointer(to.UnsafeAddr()), to.Type().Size(), named.last.labels[k])
		hook.Cur = 0
	}
}

// basic returns a value as one of a type that inputs have.
func basic(v any) any {
	r := reflect.ValueOf(v)
	var t reflect.Type
	switch r.Kind() {
	case reflect.Slice:
		t = reflect.TypeFor[[]byte]()
		if r.IsNil() {
			return []byte{}
		}
	default:
		t = basicTypes[r.Kind()]
	}
	return r.Convert(t).Interface()
}

var basicTypes = map[reflect.Kind]reflect.Type{
	reflect.Bool: reflect.TypeFor[bool](), reflect.String: reflect.TypeFor[string](),
	reflect.Int: reflect.TypeFor[int](), reflect.Int8: reflect.TypeFor[int8](),
	reflect.Int16: reflect.TypeFor[int16](), reflect.Int32: reflect.TypeFor[int32](),
	reflect.Int64: reflect.TypeFor[int64](), reflect.Uint: reflect.TypeFor[uint](),
	reflect.Uint8: reflect.TypeFor[uint8](), reflect.Uint16: reflect.TypeFor[uint16](),
	reflect.Uint32: reflect.TypeFor[uint32](), reflect.Uint64: reflect.TypeFor[uint64](),
	reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](),
}

// takeNamed prepares an execution.
func takeNamed() {
	named.places, named.order, named.last = nil, named.order[:0], nil
	named.changed, named.expects = false, false
}

// asked makes what places had as their own the corpus: zeros first, then the first values of each,
// and then one with each other element of a loop.
func asked() bool {
	if !given.tell || given.corpus != nil {
		return false
	}
	var zero, own []string
	var parts []int
	for _, p := range named.order {
		if len(p.rows) == 0 {
			continue
		}
		parts = append(parts, len(own))
		if p.loop {
			zero, own = append(zero, "int(0)"), append(own, "int(0)")
		}
		values, _ := corpus.Values(p.rows[0])
		for i, v := range values {
			values[i] = reflect.Zero(reflect.TypeOf(v)).Interface()
		}
		zero, own = append(zero, corpus.Texts(values)...), append(own, p.rows[0]...)
	}
	if len(own) == 0 {
		return false
	}
	given.corpus = [][]string{zero, own}
	k := 0
	for _, p := range named.order {
		if len(p.rows) == 0 {
			continue
		}
		for i := 1; p.loop && i < len(p.rows); i++ {
			other := slices.Clone(own)
			other[parts[k]] = "int(" + strconv.Itoa(i) + ")"
			copy(other[parts[k]+1:], p.rows[i])
			given.corpus = append(given.corpus, other)
		}
		k++
	}
	return true
}

// namesOf returns what the values of the input are, in the source.
func namesOf() (names []string) {
	for _, p := range named.order {
		if p.row < 0 {
			continue
		}
		if p.loop {
			names = append(names, "element "+strconv.Itoa(p.row))
		}
		for _, i := range p.active {
			_, path, _ := strings.Cut(p.names[i], ".")
			names = append(names, path)
		}
	}
	return names
}

// excuse removes what the test itself says is wrong where it goes by what belongs to other values,
// and what may be wrong since the test has ended early.
func (x *local) excuse(ex *engine.Execution) {
	if !named.expects || !ex.Failed {
		return
	}
	ex.Failed, ex.RanOut, ex.FailedEarly, ex.Muted = false, false, false, false
	ex.Found = slices.DeleteFunc(ex.Found, func(f wire.Found) bool {
		return f.Finding.Kind != judge.Race && f.Finding.Kind != judge.Panic && f.Finding.Kind != judge.Misuse
	})
}
