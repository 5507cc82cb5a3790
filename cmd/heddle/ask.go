package main

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"strings"

	"heddle/build"
	"heddle/clip"
	"heddle/explore"
	"heddle/explore/question"
	"heddle/rt/wire"
)

// ask is heddle ask: is there a moment of some execution at which something is so?
// It exits with 1 when there is, and the clip shows how to get there.
func (t *tool) ask(ctx context.Context, args []string) int {
	o := &options{question: new(question.Question)}
	test := ""
	rest, err := t.parse("ask", o, args, true, o.buildFlags, o.exploreFlags, o.pickFlags, o.testFlags,
		o.outputFlags, func(fs *flag.FlagSet) {
			fs.StringVar(&test, "test", "", "only the test of that `name`")
		})
	if err != nil {
		return t.parseError(err)
	}
	if n := len(rest); n != 1 && n != 2 {
		return t.misuse("usage: heddle ask [flags] [package] QUESTION\nA question is places and values, such as 'bank.go:21@main/1 && x == 0'.")
	}
	for _, name := range []string{"isolate", "time"} {
		if o.set[name] {
			return t.misuse("heddle ask: it has no -%s: questions are to the net of strategy unfold, in virtual time", name)
		}
	}
	asks := explore.First(func(u *explore.Unit) bool { return u.Asks })
	if o.set["strategy"] && !o.unit.Asks {
		return t.misuse("heddle ask: strategy %s answers no questions: leave out -strategy, or give options of %s", o.unit.Name, asks.Name)
	}
	if !o.unit.Asks {
		o.choose(asks, nil)
	}
	q, err := question.Parse(rest[len(rest)-1])
	if first, early := question.Parse(rest[0]); err != nil && early == nil { // before the package is as good
		q, err, rest = first, nil, []string{rest[1], rest[0]}
	}
	if err != nil {
		return t.misuse("heddle ask: %v", err)
	}
	o.question, o.time, o.parallel, o.isolate = q, "virtual", 1, "vars"
	if test != "" {
		o.run = "^" + regexp.QuoteMeta(test) + "$"
	}
	patterns := rest[:len(rest)-1]
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	return t.explore(ctx, &exploration{tool: t, o: o}, patterns)
}

// findQuestion finds where the operations are that a question is about, in the only package that
// was built.
func (e *exploration) findQuestion(res *build.Result) error {
	if e.o.question == nil {
		return nil
	}
	if len(res.Packages) != 1 {
		return fmt.Errorf("a question is about one package, not %d", len(res.Packages))
	}
	if p := &res.Packages[0]; p.Failed != "" || p.NoTests {
		return nil // that is said
	}
	sites, err := e.resolveQuestion(e.o.question, res.Packages[0].Dir)
	e.o.asked = sites
	return err
}

// resolveQuestion sets the places of a question, and returns the memory accesses among them.
func (e *exploration) resolveQuestion(q *question.Question, dir string) (memory []uint64, err error) {
	for i := range q.Terms {
		t := &q.Terms[i]
		if t.At != nil {
			t.At.Sites = nil
			for _, s := range e.sites.At(t.At.File, t.At.Line, "") {
				t.At.Sites = append(t.At.Sites, uint64(s.Plain()))
			}
			if len(t.At.Sites) == 0 {
				return nil, fmt.Errorf("%s:%d: no operation that others can notice stands there", t.At.File,
					t.At.Line)
			}
			for _, op := range []string{"read", "write"} {
				for _, s := range e.sites.At(t.At.File, t.At.Line, op) {
					memory = append(memory, uint64(s.Plain()))
				}
			}
		}
		for k := range t.Sum {
			x := &t.Sum[k]
			rows, sites := e.sites.Named(dir, x.Name)
			if len(rows) == 0 {
				return nil, e.unknownName(dir, x.Name)
			}
			accesses := question.Place{}
			for _, s := range sites {
				memory = append(memory, uint64(s))
				accesses.Sites = append(accesses.Sites, uint64(s))
			}
			x.Where = []question.Place{accesses}
			for _, r := range rows { // of a line with calls on several objects it is not known which is which
				if r.Op == "call" && e.sites.Object(r.File, r.Line, r.Op) == x.Name {
					x.Where = append(x.Where, question.Place{File: r.File, Line: r.Line})
				}
			}
		}
	}
	return memory, nil
}

// unknownName is the error for what nothing in a package's folder is called.
func (e *exploration) unknownName(dir, name string) error {
	err := fmt.Errorf("no variable is called %s where %s reads or writes it", name, dir)
	if alike := e.sites.Alike(dir, name); len(alike) > 0 {
		err = fmt.Errorf("%w; a question has the source's own words: %s", err, strings.Join(alike, ", "))
	}
	return err
}

// findAsked resolves the question that a clip answers.
func (e *exploration) findAsked(c *wire.Clip, dir string) error {
	if c.Kind != clip.Reached {
		return nil
	}
	q, err := question.Parse(c.Pattern)
	if err == nil {
		_, err = e.resolveQuestion(q, dir)
	}
	c.Ask = q
	return err
}
