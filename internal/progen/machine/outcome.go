package machine

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"heddle/internal/progen"
	"heddle/rt/sched"
	"heddle/trace"
	"heddle/trace/remains"
)

// Outcomes are the possible outcomes of a program, and how often each occurred.
type Outcomes struct {
	// Ends are the ends of executions without panic: the final values of all variables and
	// registers, and the goroutines that are left, each with its statement.
	Ends map[string]int
	// Panics are goroutines with the value of their panic or their misuse.
	Panics map[string]int
	// Races are the plain variables with a data race.
	Races map[string]int
	// Left are goroutines with the statements at which they are left, without those cut short by a
	// panic.
	Left map[string]int
	// Locals are the local states that goroutines reach, if Watch was called.
	Locals map[string]int

	key []byte
}

// NewOutcomes returns an empty set.
func NewOutcomes() *Outcomes {
	return &Outcomes{Ends: map[string]int{}, Panics: map[string]int{}, Races: map[string]int{},
		Left: map[string]int{}, Locals: map[string]int{}}
}

// Watch makes m record the local states that goroutines reach in o from now on.
func (o *Outcomes) Watch(m *Machine) {
	m.Local = func(name string, regs [progen.Registers]int, at int) {
		b := append(o.key[:0], name...)
		for _, r := range regs {
			b = strconv.AppendInt(append(b, ' '), int64(r), 10)
		}
		o.key = strconv.AppendInt(append(b, " at "...), int64(at), 10)
		o.Locals[string(o.key)]++
	}
}

// Add adds the outcome of m's last execution.
func (o *Outcomes) Add(m *Machine) {
	o.AddRaces(m)
	if m.trace.Verdict == trace.Panicked {
		o.addPanics(m)
		return
	}
	if !m.final(m.root) {
		return
	}
	o.key = m.end(o.key[:0])
	o.Ends[string(o.key)]++
	m.root.walk(func(f *frame) {
		if !f.ended {
			o.Left[m.placeOf(f)+" left at "+strconv.Itoa(f.at)]++
		}
	})
}

// AddRaces adds the races of m's last execution, which may have been broken off.
func (o *Outcomes) AddRaces(m *Machine) {
	for _, r := range sched.S.Races() {
		if r.Misuse == remains.MisuseNone {
			o.Races[m.variable(r.Addr)]++
		}
	}
}

func (o *Outcomes) addPanics(m *Machine) {
	m.root.walk(func(f *frame) {
		if f.panics != "" {
			o.Panics[m.nameOf(f)+": "+f.panics]++
		}
	})
	for _, f := range sched.S.Failures() {
		if f.Kind == remains.FailMisuse {
			o.Panics[m.named(f.G)+": "+f.Message]++
		}
	}
}

// variable names the variable at an address.
func (m *Machine) variable(addr uintptr) string {
	for i := range m.vars {
		if p := uintptr(unsafe.Pointer(&m.vars[i])); addr >= p && addr < p+unsafe.Sizeof(m.vars[i]) {
			return "v" + strconv.Itoa(i)
		}
	}
	for i := range m.maps {
		if addr == *(*uintptr)(unsafe.Pointer(&m.maps[i])) {
			return "mp" + strconv.Itoa(i)
		}
	}
	return "something else"
}

func (f *frame) walk(visit func(*frame)) {
	if f.used {
		visit(f)
	}
	for _, k := range f.kids {
		k.walk(visit)
	}
}

// final reports whether no goroutine gave up a polling loop that would succeed now.
func (m *Machine) final(f *frame) bool {
	if f.polls != nil && m.pollsOn(f) {
		return false
	}
	for _, k := range f.kids {
		if !m.final(k) {
			return false
		}
	}
	return true
}

// end appends the final values, and where goroutines are left.
func (m *Machine) end(b []byte) []byte {
	for i, v := range m.vars {
		b = named(b, 'v', i, v)
	}
	for i, mp := range m.maps {
		for k := range 3 {
			if v, ok := mp[k]; ok {
				b = named(named(b, 'm', i, k), 'v', i, v)
			}
		}
	}
	for i, v := range m.atomics {
		b = named(b, 'a', i, int(v))
	}
	if m.Twins {
		return append(b, m.root.roles()...)
	}
	return m.root.end(b)
}

// nameOf returns the name of a goroutine, or what it has in common with its twins.
func (m *Machine) nameOf(f *frame) string {
	if m.Twins {
		return f.role
	}
	return f.name
}

// placeOf returns the name of a goroutine, or the go statements that led to it: what is left is
// told by its place, not by the values that goroutines started with.
func (m *Machine) placeOf(f *frame) string {
	if !m.Twins {
		return f.name
	}
	path := strings.Split(f.role, "/")
	for i := range path {
		path[i], _, _ = strings.Cut(path[i], ":")
	}
	return strings.Join(path, "/")
}

// named is nameOf for a goroutine of the last execution.
func (m *Machine) named(g trace.GID) string {
	name := m.trace.Name(g)
	if m.Twins {
		m.root.walk(func(f *frame) {
			if f.name == name {
				name = f.role
			}
		})
	}
	return name
}

// roles is end for goroutines without names: those that one go statement started with one value
// are in the order of what became of them.
func (f *frame) roles() string {
	g := *f
	g.name, g.kids = f.role, nil
	kids := []string{}
	for _, k := range f.kids {
		if k.used {
			kids = append(kids, k.roles())
		}
	}
	slices.Sort(kids)
	return string(g.end(nil)) + "{" + strings.Join(kids, "") + "}"
}

func named(b []byte, what byte, i, v int) []byte {
	b = append(b, what)
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(b, '=')
	b = strconv.AppendInt(b, int64(v), 10)
	return append(b, ' ')
}

func (f *frame) end(b []byte) []byte {
	if f.used {
		b = append(b, f.name...)
		b = append(b, '(')
		for i, r := range f.regs {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(r), 10)
		}
		b = append(b, ')')
		if !f.ended {
			b = append(b, " left at "...)
			b = strconv.AppendInt(b, int64(f.at), 10)
		}
		b = append(b, ' ')
	}
	for _, k := range f.kids {
		b = k.end(b)
	}
	return b
}

// DifferLocally is Differ, except that p may lack ends and races of o. It must have all local
// states, and all goroutines that are left.
func (o *Outcomes) DifferLocally(p *Outcomes, oName, pName string) []string {
	q := *p
	q.Ends, q.Races = joined(o.Ends, p.Ends), joined(o.Races, p.Races)
	ds := o.Differ(&q, oName, pName)
	ds = append(ds, onlyIn("local state", o.Locals, p.Locals, oName, pName)...)
	ds = append(ds, onlyIn("goroutine", o.Left, p.Left, oName, pName)...)
	slices.Sort(ds)
	return ds
}

// DifferObserved is DifferLocally, except that p must have all races too, and that a panic in the
// function of a timer is one whichever number the timer has: timers are numbered as they are set,
// which p need not tell apart.
func (o *Outcomes) DifferObserved(p *Outcomes, oName, pName string) []string {
	ds := append(o.unnumbered().DifferLocally(p.unnumbered(), oName, pName),
		onlyIn("race on", o.Races, p.Races, oName, pName)...)
	slices.Sort(ds)
	return slices.Compact(ds)
}

var timerName = regexp.MustCompile(`^timers/\d+: `)

// unnumbered returns o with panics of timers under one name.
func (o *Outcomes) unnumbered() *Outcomes {
	q := *o
	q.Panics = map[string]int{}
	for k, n := range o.Panics {
		q.Panics[timerName.ReplaceAllString(k, "timers: ")] += n
	}
	return &q
}

func onlyIn(what string, o, p map[string]int, oName, pName string) (ds []string) {
	for k := range o {
		if p[k] == 0 {
			ds = append(ds, what+" "+k+": only "+oName)
		}
	}
	for k := range p {
		if o[k] == 0 {
			ds = append(ds, what+" "+k+": only "+pName)
		}
	}
	return ds
}

func joined(a, b map[string]int) map[string]int {
	c := maps.Clone(a)
	maps.Copy(c, b)
	return c
}

// Differ returns the elements of only one of the sets, as text, or nil if the sets are equal.
func (o *Outcomes) Differ(p *Outcomes, oName, pName string) []string {
	var ds []string
	for _, c := range []struct {
		what string
		o, p map[string]int
	}{{"end", o.Ends, p.Ends}, {"panic", o.Panics, p.Panics}, {"race on", o.Races, p.Races}} {
		ds = append(ds, onlyIn(c.what, c.o, c.p, oName, pName)...)
	}
	slices.Sort(ds)
	return ds
}
