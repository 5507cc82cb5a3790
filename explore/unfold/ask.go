package unfold

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heddle/explore"
	"heddle/explore/question"
	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/order/sat"
	"heddle/trace"
)

// Questions to the net (section 4.6): is there a configuration after which all terms of the
// question hold? A goroutine stands at a source position if its next operation, the call of its
// condition, is there. The value of a variable is that of its condition.

// An Inquiry is a question that is being answered. Next returns schedules that reach a moment at
// which it holds.
type Inquiry struct {
	s     *Strategy
	r     *rest
	such  sat.Lit
	stand func(trace.Site, *question.Place) bool
}

// Ask asks q of the net as it is. stands reports whether a site is at a position of the question.
// The error says why q cannot be asked: there is no net, or a variable has no operation in it.
func (s *Strategy) Ask(q *question.Question, stands func(trace.Site,
	*question.Place) bool) (explore.Inquiry, error) {
	switch {
	case s.other != nil:
		return nil, errors.New("the net has no construction for " + s.Why)
	case s.net.Len() > tooMany:
		return nil, errors.New("the net is too large to be asked")
	}
	s.rest = nil
	a := &Inquiry{s: s, r: s.formulaOf(s.whole(), false), stand: stands}
	s.rest = a.r
	a.such = a.r.solver.NewVar().Pos()
	where := map[string]valued{}
	for _, name := range q.Variables() {
		v, err := a.variable(name, q)
		if err != nil {
			return nil, err
		}
		where[name] = v
	}
	var stood []stood
	for i := range q.Terms {
		t := &q.Terms[i]
		if t.At != nil {
			stood = append(stood, a.place(t))
		} else if err := a.compare(t, where); err != nil {
			return nil, err
		}
	}
	a.apart(stood)
	return a, nil
}

// Next returns a schedule that reaches a moment at which the question holds, another one at each
// call. nil: there is none, or no time is left.
func (a *Inquiry) Next() *trace.Schedule {
	s := a.s
	for {
		var goal []net.Cond
		s.rest = a.r
		s.eachEnd(a.such, func(end []net.Cond) bool {
			goal = end
			return false
		})
		if goal == nil {
			return nil
		}
		s.target, s.goal = net.None, goal
		if s.makeSchedule() {
			return &s.schedule
		}
	}
}

// Late reports whether time ran out before all answers were found.
func (a *Inquiry) Late() bool { return a.s.late() || a.s.expired }

// must adds a clause that applies where the question holds.
func (a *Inquiry) must(ls []sat.Lit) { a.r.solver.Add(0, append(ls, a.such.Not())...) }

// A stood has the conditions of goroutines that stand at a position, each with a literal that
// implies that the condition is marked.
type stood map[net.Cond]sat.Lit

// place demands that a goroutine stands at the position of t.
func (a *Inquiry) place(t *question.Term) stood {
	s, at := a.s, stood{}
	var some []sat.Lit
	for c := range net.Cond(s.net.Conds()) {
		k := s.net.Place(c)
		if !s.isGoroutine(k) || s.isClock(k) || t.Goroutine != "" && s.tab.Name(s.procOf[k]) != t.Goroutine {
			continue
		}
		if call, _ := s.callAt(c); call != nil && call.site != 0 && call.op != trace.OpStart &&
			a.stand(call.site, t.At) {
			l := a.r.solver.NewVar().Pos()
			a.r.solver.Add(0, l.Not(), s.markedAt(c))
			at[c], some = l, append(some, l)
		}
	}
	a.must(some)
	return at
}

// apart demands that different terms are about different goroutines.
func (a *Inquiry) apart(all []stood) {
	for i, x := range all {
		for _, y := range all[:i] {
			for c, l := range x {
				if m, ok := y[c]; ok {
					a.r.solver.Add(0, l.Not(), m.Not())
				}
			}
		}
	}
}

// A valued has the values that a variable can have, each with a literal that implies that value.
type valued struct {
	texts []string
	has   []sat.Lit
}

// variable returns the values of the variable with that name in the source.
func (a *Inquiry) variable(name string, q *question.Question) (v valued, err error) {
	s := a.s
	objs := map[transition.Object]bool{}
	for _, t := range q.Terms {
		for _, x := range t.Sum {
			if x.Name != name {
				continue
			}
			for i := range s.calls.list {
				c := &s.calls.list[i]
				if c.obj != noObject && s.hasValue(s.tab.Kind(c.obj)) &&
					slices.ContainsFunc(x.Where, func(p question.Place) bool { return a.stand(c.site, &p) }) {
					objs[c.obj] = true
				}
			}
		}
	}
	if len(objs) != 1 {
		return v, fmt.Errorf("%d objects that have a value are called %s where they are read or written; want one", len(objs), name)
	}
	marked := map[string][]sat.Lit{}
	for c := range net.Cond(s.net.Conds()) {
		k := s.net.Place(c)
		if int(k) >= len(s.objectOf) || !objs[s.objectOf[k]] {
			continue
		}
		if text, ok := s.valueOf(c); ok {
			if marked[text] == nil {
				v.texts = append(v.texts, text)
			}
			marked[text] = append(marked[text], s.markedAt(c))
		}
	}
	for _, text := range v.texts {
		l := a.r.solver.NewVar().Pos()
		a.r.solver.Add(0, append(marked[text], l.Not())...)
		v.has = append(v.has, l)
	}
	return v, nil
}

// maxCombinations bounds the combinations of values of one comparison.
const maxCombinations = 1 << 16

// compare demands values for which t holds.
func (a *Inquiry) compare(t *question.Term, where map[string]valued) error {
	n := 1
	for _, x := range t.Sum {
		if n *= max(1, len(where[x.Name].texts)); n > maxCombinations {
			return fmt.Errorf("the variables of a sum have more than %d combinations of values",
				maxCombinations)
		}
	}
	var some []sat.Lit
	values := make([]string, len(t.Sum))
	var of func(i int, has []sat.Lit)
	of = func(i int, has []sat.Lit) {
		if i == len(t.Sum) {
			if t.Holds(values) {
				l := a.r.solver.NewVar().Pos()
				for _, h := range has {
					a.r.solver.Add(0, l.Not(), h)
				}
				some = append(some, l)
			}
			return
		}
		v := where[t.Sum[i].Name]
		for k, text := range v.texts {
			values[i] = text
			of(i+1, append(has[:i:i], v.has[k]))
		}
	}
	of(0, nil)
	a.must(some)
	return nil
}

// hasValue reports whether a question can ask for the value of objects of this kind.
func (s *Strategy) hasValue(k trace.ObjKind) bool {
	return k == trace.ObjAtomic || k == trace.ObjMemory
}

// valueOf returns the printed value of a variable at its condition c.
func (s *Strategy) valueOf(c net.Cond) (string, bool) {
	if s.ownerOf(c).kind == trace.ObjAtomic {
		return strconv.FormatInt(s.net.Value(c), 10), true
	}
	text, ok := s.texts[c]
	return text, ok
}

// noteValue records the value that transition j, event e, read from memory or wrote to it.
func (s *Strategy) noteValue(e net.Event, c *call, j int) {
	if c.op != trace.OpRead && c.op != trace.OpWrite {
		return
	}
	t := s.read.trace
	for i := s.path.Event(j); i < len(t.Events) && int(t.Events[i].Step) <= s.path.Step(j); i++ {
		ev := &t.Events[i]
		if ev.Op != c.op || ev.Val == 0 {
			continue
		}
		x := s.run.Last(s.objects[c.obj].state)
		if first, k := s.net.Given(e); c.op == trace.OpWrite {
			for x = first; x < first+net.Cond(k) && s.net.Place(x) != s.objects[c.obj].state; x++ {
			}
		}
		if _, ok := s.texts[x]; !ok {
			s.texts[x] = strings.Clone(t.Values[ev.Val-1])
		}
		return
	}
}
