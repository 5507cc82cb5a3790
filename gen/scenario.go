package gen

import (
	"fmt"
	"slices"
	"strings"
)

// A scenario is an object and the calls of one test: some made first, some by each goroutine, some
// in the end.
type scenario struct {
	creator       int
	before, after []*call
	goroutines    [][]*call
	blocked       string // orders that wait, as the check found them
	meets         bool   // each call waits for another one: blocked has results (see meet)
	woken         bool   // a call that ends the object may wake one that waits
	kept          int    // patterns that only it showed when it was kept
	fails         bool   // an execution of it failed: it is written only if that is told
	leaks         bool   // an execution of it left goroutines waiting
}

// A call is one of an entry.
type call struct {
	entry int
	from  []ref // for each mark of the entry, and for its guard
}

// A ref is a result of an earlier call, of the same goroutine or made first.
type ref struct {
	call   *call
	result int // -1: only that the call succeeded
}

// text writes a scenario as the pool of calls reads it.
func (sc *scenario) text() string {
	place := map[*call]string{}
	list := func(calls []*call, who string) string {
		var words []string
		for i, c := range calls {
			place[c] = fmt.Sprint(who, i)
			word := fmt.Sprint(c.entry)
			for j, r := range c.from {
				word += []string{"@", ","}[min(j, 1)]
				// a result that no call has: only that it succeeded
				n := r.result
				if n < 0 {
					n = 99
				}
				word += fmt.Sprintf("%s.%d", place[r.call], n)
			}
			words = append(words, word)
		}
		return strings.Join(words, " ")
	}
	parts := []string{fmt.Sprint(sc.creator), list(sc.before, "b")}
	var gs []string
	for _, g := range sc.goroutines {
		gs = append(gs, list(g, "g"))
	}
	parts = append(parts, strings.Join(gs, "/"), list(sc.after, "g"), sc.blocked)
	return strings.Join(parts, "|")
}

// clone copies a scenario.
func (sc *scenario) clone() *scenario {
	c := &scenario{creator: sc.creator}
	twin := map[*call]*call{}
	list := func(calls []*call) (all []*call) {
		for _, x := range calls {
			y := &call{entry: x.entry}
			for _, r := range x.from {
				y.from = append(y.from, ref{twin[r.call], r.result})
			}
			twin[x] = y
			all = append(all, y)
		}
		return all
	}
	c.before = list(sc.before)
	for _, g := range sc.goroutines {
		c.goroutines = append(c.goroutines, list(g))
	}
	c.after = list(sc.after)
	return c
}

// joined returns scenarios in which one goroutine makes all calls, one after the other: for each
// order of the goroutines.
func (sc *scenario) joined() (all []*scenario) {
	n := len(sc.goroutines)
	var choose func(order []int)
	choose = func(order []int) {
		if len(order) == n {
			c, calls := sc.clone(), []*call(nil)
			for _, i := range order {
				calls = append(calls, c.goroutines[i]...)
			}
			c.goroutines = [][]*call{calls}
			all = append(all, c)
		}
		for i := range n {
			if !slices.Contains(order, i) {
				choose(append(slices.Clone(order), i))
			}
		}
	}
	choose(nil)
	return all
}

// without removes calls, and those that take what these return. Goroutines without calls go too.
func (sc *scenario) without(gone map[*call]bool) *scenario {
	keep := func(calls []*call) (left []*call) {
		for _, c := range calls {
			if gone[c] || slices.ContainsFunc(c.from, func(r ref) bool { return gone[r.call] }) {
				gone[c] = true
				continue
			}
			left = append(left, c)
		}
		return left
	}
	sc.before = keep(sc.before)
	var gs [][]*call
	for _, g := range sc.goroutines {
		if g = keep(g); len(g) > 0 {
			gs = append(gs, g)
		}
	}
	sc.goroutines, sc.after = gs, keep(sc.after)
	return sc
}

// all returns the calls of a scenario: those made first, those of goroutines, those in the end.
func (sc *scenario) all() []*call {
	all := slices.Clone(sc.before)
	for _, g := range sc.goroutines {
		all = append(all, g...)
	}
	return append(all, sc.after...)
}

// A part of a scenario is where a call is made.
type part uint8

const (
	atFirst part = iota
	beside
	inTheEnd
)

// choose returns a call of a part that may follow calls of one goroutine after some that were made
// first; nil if chance has it otherwise. Results of the latter are taken if mine says that no other
// goroutine takes them. The call shares an argument with one of others, if its method can,
// and in half of the cases the method is that of one of the last two of them.
func (s *Suite) choose(where part, first, calls, others []*call, mine bool) *call {
	may := func(m string) bool { return s.advice.may(m, where, len(calls) == 0) }
	methods := slices.DeleteFunc(slices.Clone(s.methods), func(m string) bool { return !may(m) })
	if len(methods) == 0 {
		return nil
	}
	var m string
	if mine && s.rng.IntN(4) == 0 {
		// what takes something that was given and not been taken yet
		var takers []string
		for _, e := range s.usable {
			if (len(s.pool[e].needs) > 0 || s.pool[e].guard != "") && may(s.pool[e].method) {
				takers = append(takers, s.pool[e].method)
			}
		}
		if len(takers) > 0 {
			m = takers[s.rng.IntN(len(takers))]
		}
	}
	if n := len(others); m == "" && n > 0 && s.rng.IntN(2) == 0 {
		if o := s.pool[others[n-1-s.rng.IntN(min(2, n))].entry].method; may(o) {
			m = o
		}
	}
	if m == "" {
		m = methods[s.rng.IntN(len(methods))]
	}
	return s.callOf(m, first, calls, others, mine)
}

// callOf returns a call of method m; see choose.
func (s *Suite) callOf(m string, first, calls, others []*call, mine bool) *call {
	var fit []int
	for _, e := range s.usable {
		if s.pool[e].method == m {
			fit = append(fit, e)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	fit = s.about(fit, others)
	c := &call{entry: fit[s.rng.IntN(len(fit))]}
	if !s.supply(c, first, calls, mine) {
		return nil
	}
	return c
}

// fill returns two or three calls of one method with different arguments, by which a container, for
// one, has something in it. Of two methods it is the one with more parameters.
func (s *Suite) fill() []*call {
	c := s.choose(atFirst, nil, nil, nil, true)
	if o := s.choose(atFirst, nil, nil, nil, true); c == nil ||
		o != nil && len(s.pool[o.entry].args) > len(s.pool[c.entry].args) {
		c = o
	}
	if c == nil {
		return nil
	}
	all := []*call{c}
	var like []int
	for _, e := range s.usable {
		if o := &s.pool[e]; o.method == s.pool[c.entry].method && len(o.needs) == 0 && o.guard == "" {
			like = append(like, e)
		}
	}
	s.rng.Shuffle(len(like), func(i, j int) { like[i], like[j] = like[j], like[i] })
	for _, e := range like {
		if len(all) < 2+s.rng.IntN(2) && !slices.ContainsFunc(all,
			func(c *call) bool { return c.entry == e || s.pool[c.entry].about(&s.pool[e], true) }) {
			all = append(all, &call{entry: e})
		}
	}
	return all
}

// about returns the entries that have an argument of one of the calls, all if none has. A key that
// comes first in both is more than a number that is a value in one of them.
func (s *Suite) about(entries []int, calls []*call) []int {
	for _, first := range []bool{true, false} {
		same := slices.DeleteFunc(slices.Clone(entries), func(e int) bool {
			return !slices.ContainsFunc(calls, func(c *call) bool {
				return s.pool[e].about(&s.pool[c.entry], first)
			})
		})
		if len(same) > 0 {
			return same
		}
	}
	return entries
}

// shared returns the calls of a scenario by one goroutine's side, for another one to share their
// arguments; none in half of the cases, which chance decides.
func (s *Suite) shared(sc *scenario, but int) []*call {
	if s.rng.IntN(2) == 0 {
		return nil
	}
	all := slices.Clone(sc.before)
	for g, calls := range sc.goroutines {
		if g != but {
			all = append(all, calls...)
		}
	}
	return all
}

// supply chooses the results that a call takes.
func (s *Suite) supply(c *call, first, calls []*call, mine bool) bool {
	e := &s.pool[c.entry]
	c.from = nil
	sources := slices.Clone(calls)
	if mine {
		sources = append(slices.Clone(first), calls...)
	}
	taken := func(x *call, result int) bool {
		return slices.ContainsFunc(sources, func(o *call) bool {
			return s.pool[o.entry].method == e.method &&
				slices.Contains(o.from, ref{x, result})
		})
	}
	for _, need := range e.needs {
		found := false
		for i := len(sources) - 1; i >= 0 && !found; i-- {
			for r, t := range s.pool[sources[i].entry].results {
				if t == need && !taken(sources[i], r) {
					c.from, found = append(c.from, ref{sources[i], r}), true
					break
				}
			}
		}
		if !found {
			return false
		}
	}
	if e.guard != "" {
		for i := len(sources) - 1; i >= 0; i-- {
			o := &s.pool[sources[i].entry]
			if opens(o.method, e.method) && o.same(e) && !taken(sources[i], -1) {
				c.from = append(c.from, ref{sources[i], -1})
				return true
			}
		}
		return false
	}
	return true
}

// same reports whether two calls have the same arguments, a context aside.
func (e *entry) same(o *entry) bool {
	strip := func(args []string) []string {
		return slices.DeleteFunc(slices.Clone(args), func(a string) bool {
			return strings.HasPrefix(a,
				"context.")
		})
	}
	return slices.Equal(strip(e.args), strip(o.args))
}

// pairs has methods that undo what others do, and these.
var pairs = [][2]string{
	{"Unlock", "Lock"}, {"Unlock", "TryLock"}, {"RUnlock", "RLock"}, {"RUnlock", "TryRLock"},
	{"Release", "Acquire"}, {"Release", "TryAcquire"}, {"Done", "Add"}, {"Leave", "Enter"}, {"Exit", "Enter"},
	{"End", "Begin"}, {"Put", "Get"}, {"Return", "Borrow"},
}

// opens reports whether method o must have been called before a method that undoes it:
// AddWithContext before Done, as Add.
func opens(o, method string) bool {
	return slices.ContainsFunc(pairs, func(p [2]string) bool {
		rest, ok := strings.CutPrefix(o, p[1])
		return ok && p[0] == method && (rest == "" || strings.HasPrefix(rest, "With") ||
			strings.HasPrefix(rest, "Context") || strings.HasPrefix(rest, "Ctx"))
	})
}

// allowed reports whether a scenario keeps to what the user said: methods that are called once, and
// groups whose methods one goroutine alone calls.
func (s *Suite) allowed(sc *scenario) bool {
	type taking struct {
		ref
		method string
	}
	count, by, taken := map[string]int{}, map[int]int{}, map[taking]bool{}
	for _, c := range sc.all() {
		m := s.pool[c.entry].method
		count[m]++
		for _, r := range c.from {
			if taken[taking{r, m}] { // a change gave to two calls what goes back once
				return false
			}
			taken[taking{r, m}] = true
		}
	}
	for _, m := range s.opt.Once {
		if count[m] > 1 {
			return false
		}
	}
	for g, calls := range sc.goroutines {
		for _, c := range calls {
			for i, group := range s.opt.Serial {
				if slices.Contains(group, s.pool[c.entry].method) {
					if had, ok := by[i]; ok && had != g {
						return false
					}
					by[i] = g
				}
			}
		}
	}
	return len(sc.goroutines) > 1 && s.advice.allows(s, sc)
}

// waity reports whether calls of the type wait: of many scenarios some call waits for ever.
func (s *Suite) waity() bool { return 3*(s.why["blocks"]+s.why["meets"]) > s.drawn }

// balanced makes a scenario for a type whose calls wait for others: as many calls of one method as
// of another one, which can be the same. nil if chance has it otherwise.
func (s *Suite) balanced() *scenario {
	sc := &scenario{creator: s.fine[min(s.rng.IntN(len(s.fine)), s.rng.IntN(len(s.fine)))]}
	if s.rng.IntN(2) == 0 {
		if c := s.choose(atFirst, nil, nil, nil, true); c != nil && !s.waits[s.pool[c.entry].method] {
			sc.before = append(sc.before, c)
		}
	}
	a, b := s.methods[s.rng.IntN(len(s.methods))], ""
	for tries := 0; tries < 4 && (b == "" || s.waits[a] == s.waits[b]); tries++ {
		b = s.methods[s.rng.IntN(len(s.methods))]
	}
	deals := [][][]string{{{a}, {b}}}
	if s.opt.Calls > 1 {
		deals = append(deals, [][]string{{a, a}, {b, b}}, [][]string{{a, b}, {a, b}},
			[][]string{{a, b}, {b, a}})
		if s.opt.Goroutines != 2 {
			deals = append(deals, [][]string{{a, a}, {b}, {b}}, [][]string{{a, b}, {a}, {b}})
		}
	}
	for g, methods := range deals[s.rng.IntN(len(deals))] {
		var calls []*call
		for _, m := range methods {
			c := s.callOf(m, sc.before, calls, s.shared(sc, -1), g == 0)
			if c == nil || !s.advice.may(m, beside, len(calls) == 0) {
				return nil
			}
			calls = append(calls, c)
		}
		sc.goroutines = append(sc.goroutines, calls)
	}
	if s.opt.Goroutines > len(sc.goroutines) {
		return nil
	}
	if s.rng.IntN(3) == 0 {
		s.observe(sc)
	}
	return sc
}

// random makes a scenario.
func (s *Suite) random() *scenario {
	if s.waity() && s.rng.IntN(4) > 0 {
		if sc := s.balanced(); sc != nil {
			return sc
		}
	}
	sc := &scenario{creator: s.fine[min(s.rng.IntN(len(s.fine)), s.rng.IntN(len(s.fine)))]}
	if s.rng.IntN(3) == 0 {
		sc.before = s.fill()
	} else {
		for range s.rng.IntN(4) {
			if c := s.choose(atFirst, nil, sc.before, nil, true); c != nil {
				sc.before = append(sc.before, c)
			}
		}
	}
	n := s.opt.Goroutines
	if n == 0 {
		n = 2 + s.rng.IntN(4)/3
		if s.waity() { // one that waits needs others
			n = 2 + s.rng.IntN(2)
		}
	}
	for g := range n {
		var calls []*call
		others := s.shared(sc, -1)
		for range 1 + s.rng.IntN(s.opt.Calls) {
			if c := s.choose(beside, sc.before, calls, others, g == 0); c != nil {
				calls = append(calls, c)
			}
		}
		if len(calls) > 0 {
			sc.goroutines = append(sc.goroutines, calls)
		}
	}
	s.observe(sc)
	return sc
}

// observe adds calls in the end, those that return something.
func (s *Suite) observe(sc *scenario) {
	others := s.shared(sc, -1)
	for tries := 0; len(sc.after) < 2 && tries < 6; tries++ {
		if c := s.choose(inTheEnd, nil, sc.after, others, true); c != nil &&
			len(s.pool[c.entry].results) > 0 && s.levels[s.pool[c.entry].method] < notCompared {
			sc.after = append(sc.after, c)
		}
	}
}

// mutate changes a scenario at one place.
func (s *Suite) mutate(from *scenario) *scenario {
	sc := from.clone()
	g := s.rng.IntN(len(sc.goroutines))
	calls := sc.goroutines[g]
	switch s.rng.IntN(7) {
	case 0:
		sc.creator = s.fine[s.rng.IntN(len(s.fine))]
	case 1:
		if c := s.choose(atFirst, nil, sc.before, nil, true); c != nil && len(sc.before) < 4 {
			sc.before = append(sc.before, c)
		}
	case 2:
		if len(sc.before) > 0 {
			return sc.without(map[*call]bool{sc.before[s.rng.IntN(len(sc.before))]: true})
		}
	case 3:
		if c := s.choose(beside, sc.before, calls, s.shared(sc, g), g == 0); c != nil &&
			len(calls) < s.opt.Calls {
			sc.goroutines[g] = append(calls, c)
		}
	case 4, 5:
		i := s.rng.IntN(len(calls))
		if c := s.choose(beside, sc.before, calls[:i], s.shared(sc, g), g == 0); c != nil {
			old := calls[i]
			calls[i] = c
			sc.without(map[*call]bool{old: true})
		}
	case 6:
		sc.after = nil
		s.observe(sc)
	}
	return sc
}

// smaller returns scenarios that are one step simpler.
func (s *Suite) smaller(sc *scenario) (all []*scenario) {
	try := func(change func(c *scenario)) {
		c := sc.clone()
		change(c)
		if len(c.goroutines) > 1 {
			all = append(all, c)
		}
	}
	if len(sc.goroutines) > 2 {
		for g := range sc.goroutines {
			try(func(c *scenario) {
				gone := map[*call]bool{}
				for _, x := range c.goroutines[g] {
					gone[x] = true
				}
				c.without(gone)
			})
		}
	}
	if len(sc.after) > 1 {
		try(func(c *scenario) { c.after = nil })
	}
	if len(sc.before) > 1 {
		try(func(c *scenario) {
			gone := map[*call]bool{}
			for _, x := range c.before {
				gone[x] = true
			}
			c.without(gone)
		})
	}
	if !slices.ContainsFunc(sc.goroutines, func(g []*call) bool { return len(g) == 1 }) {
		try(func(c *scenario) { // calls that wait for each other go together
			gone := map[*call]bool{}
			for _, g := range c.goroutines {
				gone[g[len(g)-1]] = true
			}
			c.without(gone)
		})
	}
	for i := range sc.all() {
		try(func(c *scenario) { c.without(map[*call]bool{c.all()[i]: true}) })
	}
	for _, f := range s.fine {
		if f < sc.creator {
			try(func(c *scenario) { c.creator = f })
			break
		}
	}
	for i, x := range sc.all() {
		for _, e := range s.usable {
			if e < x.entry && s.pool[e].method == s.pool[x.entry].method &&
				slices.Equal(s.pool[e].needs, s.pool[x.entry].needs) && s.pool[e].guard == "" &&
				len(s.pool[e].results) == len(s.pool[x.entry].results) {
				try(func(c *scenario) { c.all()[i].entry = e })
				break
			}
		}
	}
	return all
}

// methodsOf returns the names of the methods that the goroutines of a scenario call, sorted.
func (s *Suite) methodsOf(sc *scenario) (names []string) {
	for _, g := range sc.goroutines {
		for _, c := range g {
			names = append(names, s.pool[c.entry].method)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
