package pattern

import (
	"fmt"
	"slices"

	"heddle/rt/wire"
	"heddle/trace"
)

// WaitGroups whose Done is missing, or may be.

// missingDone explains a Wait for a goroutine that has ended without Done.
func (s *story) missingDone(w act) *Match {
	if w.op != trace.OpWGWait || w.Where.Object == "" {
		return nil
	}
	for _, g := range names(s.acts) {
		add, last, ok := s.undone(g, w)
		if !ok {
			continue
		}
		f, call := s.doing(add, g, w.Obj)
		if f == nil {
			continue
		}
		name := w.Where.Object
		from := s.source.Line(f.body.Pos())
		counted := fmt.Sprintf("%s.Add at %s counts %s, and %s", name, at(add.Where), g, g)
		after := fmt.Sprintf("at the beginning of the function that %s runs", g)
		if add.G == g {
			from = add.Where.Line
			counted = fmt.Sprintf("%s called %s.Add at %s", g, name, at(add.Where))
			after = "right after " + at(add.Where)
		}
		returns, _ := s.source.bare(f, from, call)
		dones, _ := s.source.calls(f, call)
		if len(returns) == 0 || len(dones) == 0 {
			continue
		}
		m := &Match{Name: MissingDone, Var: name, Roles: []Role{
			{"add", add.G, add.Where, of(add)}, {"wait", w.G, w.Where, of(w)}}}
		if len(returns) == 1 {
			m.then(returns[0], last, "return")
		}
		m.Text = fmt.Sprintf("%s and has left without Done: the return at %s comes before `%s` at %s. %s waits for `%s` at %s, and no goroutine is left that calls Done.",
			counted, ats(returns), call, ats(dones), w.G, m.Var, at(w.Where))
		m.Hint = fmt.Sprintf("call Done on every path: `defer %s` %s, in place of %s", call, after,
			ats(dones))
		return m
	}
	return nil
}

// counter returns what a WaitGroup counts at the end.
func (s *story) counter(obj int) (n int) {
	for _, a := range s.acts {
		if a.op == trace.OpWGAdd && a.Obj == obj {
			n += int(a.Arg)
		}
	}
	return n
}

// undone returns the Add that counts a goroutine which ended without Done, or which has called Add
// itself and waits now, and the last act of that goroutine at a place.
func (s *story) undone(g string, w act) (add, last act, ok bool) {
	if g != w.G && !s.ended(g) {
		return add, last, false
	}
	sum, done := int64(0), false
	for _, a := range s.acts {
		if a.G != g {
			continue
		}
		if a.Where.File != "" && g != w.G {
			last = a
		}
		if a.op == trace.OpWGAdd && a.Obj == w.Obj {
			sum, done = sum+a.Arg, done || a.Arg < 0
			if a.Arg > 0 {
				add, last = a, a
			}
		}
	}
	if sum > 0 {
		_, starts := s.first(add.i, func(a act) bool { return a.G == g && a.op == trace.OpGo })
		return add, last, g != w.G || !starts
	}
	if g == w.G {
		return add, last, false
	}
	start, ok := s.last(len(s.acts), func(a act) bool { return a.op == trace.OpGo && a.Child == g })
	if !ok || done {
		return add, last, false
	}
	add, ok = s.last(start.i, func(a act) bool {
		return a.G == start.G && a.op == trace.OpWGAdd && a.Obj == w.Obj && a.Arg > 0
	})
	return add, last, ok
}

// doing returns the function in which a goroutine would call Done, and that call.
func (s *story) doing(add act, g string, obj int) (f *fn, call string) {
	has := func(p wire.Place) bool {
		f = s.source.function(p)
		if f == nil {
			return false
		}
		for _, a := range s.acts {
			call = a.Where.Object + ".Done()"
			if dones, _ := s.source.calls(f, call); a.Obj == obj && a.Where.Object != "" && len(dones) > 0 {
				return true
			}
		}
		return false
	}
	if add.G == g {
		if has(add.Where) {
			return f, call
		}
		return nil, ""
	}
	if slices.ContainsFunc(s.acts, func(a act) bool { return a.G == g && has(a.Where) }) {
		return f, call
	}
	return nil, ""
}

// hintDones says which returns need a Done once the Add is moved up; "" if none does.
func (s *story) hintDones(add act) string {
	f, call := s.doing(add, add.G, add.Obj)
	if f == nil {
		return ""
	}
	returns, _ := s.source.bare(f, add.Where.Line, call)
	if len(returns) == 0 {
		return ""
	}
	return fmt.Sprintf(". Use `defer %s`: the return at %s comes before Done", call, ats(returns))
}
