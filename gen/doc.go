package gen

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// What the documentation of a type says about several goroutines. A call that it forbids is no
// test, and a result that it calls vague is no failure.
type advice struct {
	unsafe string                       // the sentence by which the type is for one goroutine; "": none
	first  map[string]string            // methods that come before all other calls, with the sentence
	callee map[string]string            // of first: the method that the sentence is about, which they call
	alone  map[string]string            // methods that nothing may run beside
	apart  map[string]map[string]string // methods that these may not run beside
	vague  map[string]string            // methods whose results depend on calls at the same time
	tries  map[string]string            // methods that may fail though they could succeed
	runs   map[string]string            // methods that run a function of the caller in between
	aborts map[string]string            // methods that make others fail, by the doc of an error
	fluent map[string]bool              // of first: methods that configure the object and return it
}

// The sentences that are understood. Each is tried on one sentence of a doc comment.
var (
	sayUnsafe = regexp.MustCompile(`(?i)\b(not|isn't|aren't|non|never)[- ](itself |be |being )?(thread|goroutine|concurren\w+|multi-?thread)[- ]?saf|` +
		`\b(thread|goroutine|concurrency)[- ]unsafe\b|\b(not|isn't|aren't|never) (be )?safe (for|to|under|with|when|in|from) .*(concurren|parallel|simultaneous|multiple|several|different)|` +
		`\bunsafe (for|to|under|with|when) .*(concurren|parallel|simultaneous|multiple goroutines)|` +
		`\b(must|should|may|can) ?(not|never) be (used|called|accessed|shared|invoked) (concurrently|in parallel|simultaneously|(by|from|between|across) (multiple|several|different|more than one))`)
	saySafe = regexp.MustCompile(`(?i)\b(is|are|it's) (also )?(thread[- ]safe|(safe|intended) for (concurrent|simultaneous|use by multiple))`)

	sayNotBeside = regexp.MustCompile(`(?i)\b((must|should|may|can|shall) ?(not|never|only)|cannot|can't|shouldn't|mustn't|(un)?safe only)\b.*\b(concurrent|concurrently|simultaneous|simultaneously|in parallel|at the same time|while|active|in use|in flight)\b`)
	sayActive    = regexp.MustCompile(`(?i)\b(active|in use|in flight|running|started)\b`)
	sayInside    = regexp.MustCompile(`(?i)\b(callback|inside|within|holding|held)\b`)
	sayPanics    = regexp.MustCompile(`(?i)\b(panics?|undefined)\b.*\b(after|before|while|once|concurrently)\b`)
	sayConfig    = regexp.MustCompile(`(?i)\bconfigur|\boptions?\b|\bsetters?\b`)
	sayWaits     = regexp.MustCompile(`(?i)\b(blocks|waits?|waiting) (until|for) (all\b|.*\bcounter is zero)`)
	sayCounter   = regexp.MustCompile(`\bcounter is zero\b`)
	sayNoWait    = regexp.MustCompile(`(?i)\b(without|not|never|instead of) (block|wait)ing\b|\b(does not|doesn't|won't|will not|never) (block|wait)`)
	sayRaces     = regexp.MustCompile(`(?i)\b(otherwise|or else)\b.*\b(data )?races?\b`)
	sayLast      = regexp.MustCompile(`(?i)\b(once|after) all\b.*\b(must|should|can|may) (be )?call`)

	sayVague = regexp.MustCompile(`(?i)consistent snapshot|\b(may|might|need|does|do) (not|be not)( necessarily)? (be )?(includ|reflect|observ|see)|approximat|\bestimat|best[- ]effort|\b(be|is|are) (stale|outdated|out of date)\b|\beventually\b|\b(not|isn't) (an )?atomic|weakly consistent|\bdo(es)? not guarantee\b.*\b(consisten|exact|precise)|\breturns? (the |all )?(\w+ )?(statistics|stats|metrics)\b|\bonly for (diagnos|debug|monitor)|` +
		`\b(fill|hit|miss|load|cache) ?(rate|ratio|factor|percentage)\b|` +
		`\b(duplicate|other|multiple|concurrent|simultaneous) (callers?|calls?|goroutines|invocations|requests)\b.*\b(waits?|receives?|shares?|shared|given|same)\b|\b(shared|given)\b.*\bmultiple callers\b`)
	sayTries = regexp.MustCompile(`^Try\w+ (tries|attempts) to\b|` +
		`(?i)\b(not succeed|fails?|unable|cannot|can't|could not)( to)? (acquire|take|get|obtain) the (lock|mutex)\b`)
	sayFirst = regexp.MustCompile(`(?i)\b(must|should|has to|needs to|can|may) (only )?be (called|used|set|made) ` +
		`(only )?before (any|all|the first|every|other|using|use)\b`)
	sayRuns        = regexp.MustCompile(`(?i)\b(runs?|executes?|calls?|invokes?)\b.{0,30}\b(given|provided|specified|supplied|passed)\b`)
	sayAborts      = regexp.MustCompile(`(?i)\bcauses? .*\b(abort|fail|return)|\bcausing .*\b(abort|fail|return)|\b(aborts|interrupts|wakes)\b`)
	sayLike        = regexp.MustCompile(`^\w+ (is|works|behaves)( exactly| just)? (like|similar to|the same as|equivalent to) (\w+)`)
	nameConfigures = regexp.MustCompile(`^(With|Set)[A-Z]`)
	called         = regexp.MustCompile(`\b[A-Z]\w*\*?`)
)

// docs has the doc comments of functions, methods, types and variables, by where their names are.
func docs(files []*ast.File) map[token.Pos]string {
	all := map[token.Pos]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				all[d.Name.Pos()] = d.Doc.Text()
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						if all[v.Names[0].Pos()] = v.Doc.Text(); v.Doc == nil && len(d.Specs) == 1 {
							all[v.Names[0].Pos()] = d.Doc.Text()
						}
					}
					if t, ok := spec.(*ast.TypeSpec); ok {
						if all[t.Name.Pos()] = t.Doc.Text(); t.Doc == nil && len(d.Specs) == 1 {
							all[t.Name.Pos()] = d.Doc.Text()
						}
						if i, ok := t.Type.(*ast.InterfaceType); ok {
							for _, m := range i.Methods.List {
								for _, name := range m.Names {
									all[name.Pos()] = m.Doc.Text()
								}
							}
						}
					}
				}
			}
		}
	}
	return all
}

// calls has the methods that methods call on their receivers, by where the names of these are.
func calls(files []*ast.File) map[token.Pos][]string {
	all := map[token.Pos][]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Body == nil || d.Recv == nil || len(d.Recv.List[0].Names) == 0 {
				continue
			}
			recv := d.Recv.List[0].Names[0].Name
			ast.Inspect(d.Body, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					if s, ok := c.Fun.(*ast.SelectorExpr); ok {
						if x, ok := s.X.(*ast.Ident); ok && x.Name == recv {
							all[d.Name.Pos()] = append(all[d.Name.Pos()], s.Sel.Name)
						}
					}
				}
				return true
			})
		}
	}
	return all
}

// sentences splits a doc comment.
func sentences(doc string) (all []string) {
	for _, part := range strings.Split(doc, "\n\n") {
		words := strings.Fields(part)
		at := 0
		for i, w := range words {
			ends := strings.HasSuffix(w, ".") && w != "e.g." && w != "i.e."
			if ends || i == len(words)-1 {
				all, at = append(all, strings.Join(words[at:i+1], " ")), i+1
			}
		}
	}
	return all
}

// forOne returns the sentence of a doc comment by which something is for one goroutine; "": none.
func forOne(doc string) string {
	for _, s := range sentences(doc) {
		if sayUnsafe.MatchString(s) && !saySafe.MatchString(s) {
			return s
		}
	}
	return ""
}

func newAdvice() *advice {
	return &advice{first: map[string]string{}, callee: map[string]string{}, alone: map[string]string{},
		apart: map[string]map[string]string{}, vague: map[string]string{}, tries: map[string]string{},
		fluent: map[string]bool{}, runs: map[string]string{}, aborts: map[string]string{}}
}

// advise reads the documentation of a type and of its methods.
func (p *Package) advise(obj *types.TypeName, methods []method) *advice {
	a := newAdvice()
	a.unsafe = forOne(p.docs[obj.Pos()])
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	for _, s := range sentences(p.docs[obj.Pos()]) {
		if at := sayPanics.FindStringSubmatchIndex(s); at != nil {
			before := mentioned(s[:at[4]], names, "")
			if sayConfig.MatchString(s) {
				for _, m := range before {
					a.first[m] = s
				}
			} else {
				a.keepApart(before, mentioned(s[at[4]:], names, ""), s)
			}
		}
		if sayLast.MatchString(s) {
			for _, m := range mentioned(s, names, "") {
				a.alone[m] = s
			}
		}
	}
	for _, name := range p.types.Scope().Names() {
		v, ok := p.types.Scope().Lookup(name).(*types.Var)
		if !ok || typePath(v.Type()) != "error" {
			continue
		}
		for _, s := range sentences(p.docs[v.Pos()]) {
			if sayAborts.MatchString(s) {
				for _, m := range mentioned(s, names, "") {
					a.aborts[m] = s
				}
			}
		}
	}
	like := map[string]string{}
	for _, m := range methods {
		all := sentences(p.docs[m.pos])
		for i, s := range all {
			if i == 0 {
				if f := sayLike.FindStringSubmatch(s); f != nil {
					like[m.name] = f[4]
				}
			}
			if takesFunction(m.sig) && sayRuns.MatchString(s) {
				a.runs[m.name] = s
			}
			a.about(m.name, s, mentioned(s, names, m.name))
		}
	}
	for m, of := range like {
		for _, rule := range []map[string]string{a.first, a.alone, a.vague, a.runs, a.tries} {
			if s, ok := rule[of]; ok && rule[m] == "" {
				rule[m] = s
			}
		}
		for _, o := range slices.Sorted(maps.Keys(a.apart[of])) {
			if o != m {
				a.keepApart([]string{m}, []string{o}, a.apart[of][o])
			}
		}
	}
	for _, m := range methods {
		if configures(obj, m) && a.first[m.name] == "" {
			a.first[m.name], a.fluent[m.name] = m.name, true
		}
	}
	for _, m := range methods {
		if a.first[m.name] != "" {
			continue
		}
		for _, c := range p.calls[m.pos] {
			if s := a.first[c]; s != "" && a.callee[c] == "" {
				a.first[m.name], a.callee[m.name] = s, c
				break
			}
		}
	}
	if 2*len(a.callee) > len(methods) { // hardly anything would be left beside another call
		for m := range a.callee {
			delete(a.first, m)
		}
		clear(a.callee)
	}
	return a
}

// configures reports whether a method is one of those that configure an object and return it, one
// after the other, before it is used.
func configures(obj *types.TypeName, m method) bool {
	if m.sig.Params().Len() != 1 || m.sig.Results().Len() != 1 || !nameConfigures.MatchString(m.name) {
		return false
	}
	t := types.Unalias(m.sig.Results().At(0).Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj() == obj
}

// about adds what a sentence of the doc comment of method m says; others are the methods that it
// names.
func (a *advice) about(m, s string, others []string) {
	switch {
	case sayInside.MatchString(s):
	case sayTries.MatchString(s):
		a.tries[m] = s
	case sayVague.MatchString(s):
		a.vague[m] = s
	case sayFirst.MatchString(s):
		a.first[m] = s
	case sayNotBeside.MatchString(s) && len(others) > 0, sayRaces.MatchString(s) && len(others) > 0,
		sayWaits.MatchString(s) && !sayNoWait.MatchString(s) && len(others) > 0:
		a.keepApart([]string{m}, others, s)
	case sayNotBeside.MatchString(s) && sayActive.MatchString(s):
		a.first[m] = s
	case sayNotBeside.MatchString(s), sayUnsafe.MatchString(s) && !saySafe.MatchString(s):
		a.alone[m] = s
	case sayPanics.MatchString(s):
		a.keepApart([]string{m}, others, s)
	}
}

func (a *advice) keepApart(ms, others []string, s string) {
	for _, m := range ms {
		for _, o := range others {
			for _, pair := range [][2]string{{m, o}, {o, m}} {
				if a.apart[pair[0]] == nil {
					a.apart[pair[0]] = map[string]string{}
				}
				a.apart[pair[0]][pair[1]] = s
			}
		}
	}
}

// mentioned returns the methods that a sentence names, but for one: by name, as With* for all that
// begin so, and TryLock with Lock. A counter is that of a WaitGroup, which Add and Go count up.
func mentioned(s string, methods []string, but string) (all []string) {
	if sayCounter.MatchString(s) {
		all = slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
			return m == but || !strings.HasPrefix(m, "Add") && !strings.HasPrefix(m, "Go")
		})
	}
	for _, word := range called.FindAllString(s, -1) {
		begin, star := strings.CutSuffix(word, "*")
		for _, m := range methods {
			if m != but && (m == word || m == "Try"+word || star && strings.HasPrefix(m, begin)) &&
				!slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// heed reads the documentation of the type under test, and notes what follows from it. The error
// says that the type is for one goroutine.
func (s *Suite) heed() error {
	if s.advice = new(advice); s.opt.NoDocs {
		return nil
	}
	a := s.p.advise(s.obj, methodsOn(s.result))
	s.advice = a
	if a.unsafe != "" {
		return fmt.Errorf("%s is for one goroutine, by its documentation: %q; -docs=false tests it all the same",
			s.typeName(), a.unsafe)
	}
	about := func(m, what, it, sentence string) {
		s.note("%s %s: %s is documented so: %q; -docs=false does without", m, what, it, sentence)
	}
	said := func(rule map[string]string, what string) {
		for _, m := range slices.Sorted(maps.Keys(rule)) {
			about(m, what, "it", rule[m])
		}
	}
	for _, m := range slices.Sorted(maps.Keys(a.first)) {
		it := "it"
		if c := cmp.Or(a.callee[m], m); a.fluent[c] {
			s.note("%s is called before all others only: %s returns the object, as what configures one does; "+
				"-docs=false does without", m, c)
			continue
		}
		if c := a.callee[m]; c != "" {
			it = c + ", which it calls,"
		}
		about(m, "is called before all others only", it, a.first[m])
	}
	said(a.alone, "is called by no goroutine beside others")
	said(a.vague, "is called, and what it returns beside other calls is not compared")
	said(a.tries, "may fail beside other calls, whatever they are")
	said(a.runs, "is called, and what calls beside it return is not compared, for they may come while it runs the function")
	said(a.aborts, "is called, and what calls beside it return is not compared, for it makes them fail")
	for _, m := range slices.Sorted(maps.Keys(a.apart)) {
		by := map[string][]string{}
		for _, o := range slices.Sorted(maps.Keys(a.apart[m])) {
			if m <= o {
				by[a.apart[m][o]] = append(by[a.apart[m][o]], o)
			}
		}
		for _, sentence := range slices.Sorted(maps.Keys(by)) {
			s.note("%s is not called beside %s: it is documented so: %q; -docs=false does without", m,
				list(by[sentence]), sentence)
		}
	}
	return nil
}

// takesFunction reports whether a parameter is a function.
func takesFunction(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if _, ok := v.Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}

// loose reports whether what the goroutines of a scenario get is not compared: one interferes.
func (a *advice) loose(s *Suite, sc *scenario) bool {
	return slices.ContainsFunc(slices.Concat(sc.goroutines...),
		func(c *call) bool { return a.interferes(s.pool[c.entry].method) })
}

// interferes reports whether method m runs a function of the caller, or makes calls fail that have
// begun: what calls beside it return no sequential order has.
func (a *advice) interferes(m string) bool { return a.runs[m] != "" || a.aborts[m] != "" }

// may reports whether a method may be called in a part of a scenario, begin: as the first call.
func (a *advice) may(m string, where part, begin bool) bool {
	switch {
	case a.first[m] != "":
		return where == atFirst && begin
	case a.alone[m] != "":
		return where != beside
	}
	return true
}

// allows reports whether a scenario keeps to the documentation.
func (a *advice) allows(s *Suite, sc *scenario) bool {
	name := func(c *call) string { return s.pool[c.entry].method }
	later := false // a call came that need not be first
	for _, c := range sc.before {
		first := a.first[name(c)] != ""
		if first && later {
			return false
		}
		later = later || !first
	}
	for i, calls := range sc.goroutines {
		for _, c := range calls {
			if a.first[name(c)] != "" || a.alone[name(c)] != "" {
				return false
			}
			for _, others := range sc.goroutines[:i] {
				for _, o := range others {
					if _, ok := a.apart[name(c)][name(o)]; ok {
						return false
					}
				}
			}
		}
	}
	return !slices.ContainsFunc(sc.after, func(c *call) bool { return a.first[name(c)] != "" })
}
