package engine

import (
	"slices"

	"heddle/explore/mapcov"
	"heddle/rt/wire"
	"heddle/trace"
)

// listPatterns adds the patterns to a coverage, in groups by their variables.
func (e *exploration) listPatterns(c *wire.Coverage) {
	set, left := e.cover.set, e.cover.left
	var others []mapcov.Listed
	if c.Whole = left != nil; c.Whole {
		others = left.Patterns
	}
	var vars []int32 // of the last group
	listed := 0
	for _, l := range set.List(others) {
		if listed++; listed > wire.MaxPatterns {
			c.More++
			continue
		}
		if v := l.Vars(); !slices.Equal(v, vars) || len(c.Groups) == 0 {
			vars = v
			g := wire.CoverGroup{IDs: v}
			for _, x := range v {
				g.Kinds = append(g.Kinds, set.Names.Kind(x).String())
			}
			c.Groups = append(c.Groups, g)
		}
		g := &c.Groups[len(c.Groups)-1]
		g.Patterns = append(g.Patterns, e.coverPattern(set, &l.Pattern, l.State.String()))
	}
	if left != nil && left.Next.Row != 0 {
		c.Next = &wire.CoverNext{Pattern: e.coverPattern(set, &left.Next, mapcov.Untried.String())}
		for _, u := range left.Steps {
			at := e.x.Resolve(u.Site)
			at.Op, at.Goroutine = u.Op.String(), u.Goroutine
			c.Next.Schedule = append(c.Next.Schedule,
				wire.CoverStep{Goroutine: u.Goroutine, Events: u.Events, Until: at})
		}
	}
}

func (e *exploration) coverPattern(set *mapcov.Set, p *mapcov.Pattern, state string) wire.CoverPattern {
	c := wire.CoverPattern{Row: int(p.Row), State: state, Places: e.patternPlaces(set, p)}
	vars := p.Vars()
	for _, st := range p.Steps[:p.Len()] {
		c.Vars = append(c.Vars, slices.Index(vars, st.Var))
	}
	return c
}

// patternPlaces returns where the accesses of a pattern are.
func (e *exploration) patternPlaces(set *mapcov.Set, p *mapcov.Pattern) (places []wire.Place) {
	for i := range p.Len() {
		st := &p.Steps[i]
		pl := e.x.Resolve(trace.Site(st.Site))
		pl.Goroutine = set.Names.ThreadName(st.Thread)
		kind := set.Names.Kind(st.Var)
		switch lock := kind == trace.ObjMutex || kind == trace.ObjRWMutex; {
		case kind == trace.ObjChan: // as its place says: send or recv
		case lock && st.Write:
			pl.Op = trace.OpLock.String()
		case lock:
			pl.Op = trace.OpRLock.String()
		case st.Write:
			pl.Op = trace.OpWrite.String()
		default:
			pl.Op = trace.OpRead.String()
		}
		places = append(places, pl)
	}
	return places
}
