package reach

import (
	"slices"

	"heddle/explore/transition"
)

// excluded adds to gone the events of n's sequence that cannot happen together with steps, which
// are events outside it, and all that happens after these. has reports whether an event is in the
// configuration of which the steps are a part.
func (n *node) excluded(tab *transition.Table, gone set, has func(id) bool,
	steps []*transition.Transition) set {
	n.seq.name()
	for i := range n.seq.n {
		if gone.has(i) || has(n.seq.ids[i]) {
			continue
		}
		for _, t := range steps {
			if tab.Dependent(t, n.seq.At(i)) {
				gone.join(n.seq.after(i))
				break
			}
		}
	}
	return gone
}

// beside returns an event that extends n's sequence and can happen beside a configuration, with the
// further events of the sequence that must happen before; nil if there is none. has reports whether
// the configuration has an event, and steps are its events that are not in the sequence.
func (n *node) beside(f *finder, has func(id) bool,
	steps []*transition.Transition) (found []*transition.Transition) {
	gone, must, whole := n.excluded(f.Tab, make(set, n.seq.w), has, steps), make(set, n.seq.w), true
	for i, x := range n.seq.ids {
		switch {
		case has(x):
			must.add(i)
		case !gone.has(i):
			whole = false
		}
	}
	f.look(n)
	if whole {
		n.possible(f, gone, steps, func(t *transition.Transition) bool {
			found = append(found, new(transition.Transition))
			found[0].Set(t)
			return false
		})
		return found
	}
	var x extension
	for i := range n.shapes {
		sh := &n.shapes[i]
		if !n.idle(sh, steps) || !f.open(sh, must, gone) {
			continue
		}
		for at := (walk{}); f.next(&at) && !f.spent(); {
			if f.make(&x, f.h) && !x.displace.meets(must) && !conflicts(f.Tab, x.accesses, steps) {
				for k := x.history.next(0); k >= 0; k = x.history.next(k + 1) {
					if !must.has(k) {
						found = append(found, n.seq.At(k))
					}
				}
				return append(found, x.transition())
			}
		}
	}
	return nil
}

// possible calls each with the events that extend n's sequence and are possible once the events of
// gone are removed and the steps have happened, until it returns false. There is at most one for
// each shape: its history is what is left of the sequence. f looks at n's sequence.
func (n *node) possible(f *finder, gone set, steps []*transition.Transition,
	each func(*transition.Transition) bool) {
	for i := range n.shapes {
		sh := &n.shapes[i]
		if sh.kind == drawn || !n.open(sh, gone) || !n.idle(sh, steps) || !f.open(sh, f.none[:f.w], gone) {
			continue
		}
		f.takeAll()
		if !f.decide(f.h) || conflicts(f.Tab, f.like.Accesses, steps) {
			continue
		}
		if !each(&f.like) {
			return
		}
	}
}

// idle reports whether no goroutine of a shape takes part in one of the steps.
func (n *node) idle(sh *shape, steps []*transition.Transition) bool {
	for _, c := range [...]int32{sh.call, sh.with} {
		if c >= 0 && slices.ContainsFunc(steps, func(t *transition.Transition) bool {
			return t.Involves(n.seq.calls[c].proc)
		}) {
			return false
		}
	}
	return true
}

func conflicts(tab *transition.Table, as []transition.Access, steps []*transition.Transition) bool {
	for _, t := range steps {
		for i := range t.Accesses {
			for j := range as {
				if tab.Conflict(&t.Accesses[i], &as[j]) {
					return true
				}
			}
		}
		if t.Alone() {
			return true
		}
	}
	return false
}
