package pcr

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/explore/mapcov"
	"heddle/order"
	"heddle/trace"
)

// traceOf makes a trace: main starts the goroutines named in lines, in the
// order of their names, and these do what the lines say, such as
//
//	1 R x s6 5      goroutine main/1 reads x at statement s6 and sees 5
//	2 W x s26 0     goroutine main/2 writes it
//	1 lock m s3
//
// A value may be left out: then it is not known.
func traceOf(t *testing.T, lines string) *trace.Trace {
	t.Helper()
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Parent: trace.NoG}}, Objects: make([]trace.Object, 1)}
	gids, objs := map[string]trace.GID{"0": 0}, map[string]trace.ObjID{}
	event := func(g trace.GID, op trace.Op, o trace.ObjID, arg int64, site int, val string) {
		e := trace.Event{G: g, Op: op, Obj: o, Partner: -1, Arg: arg, Site: trace.NewSite(1, site,
			trace.KindInt, false), Step: int32(len(tr.Steps))}
		if val != "" {
			tr.Values = append(tr.Values, val)
			e.Val = int32(len(tr.Values))
		}
		tr.Steps = append(tr.Steps, trace.Step{G: g, Op: op, Choice: -1, Site: e.Site})
		tr.Events = append(tr.Events, e)
	}
	rows := strings.Split(strings.TrimSpace(lines), "\n")
	most := 0
	for _, row := range rows {
		n, err := strconv.Atoi(strings.Fields(row)[0])
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, n)
	}
	for n := 1; n <= most; n++ {
		gids[strconv.Itoa(n)] = trace.GID(n)
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{Parent: 0, N: int32(n)})
		event(0, trace.OpGo, 0, int64(n), 900+n, "")
	}
	kinds := map[string]trace.ObjKind{"R": trace.ObjMemory, "W": trace.ObjMemory, "add": trace.ObjAtomic,
		"lock": trace.ObjMutex, "unlock": trace.ObjMutex}
	ops := map[string]trace.Op{"R": trace.OpRead, "W": trace.OpWrite, "add": trace.OpAtomicRMW,
		"lock": trace.OpLock, "unlock": trace.OpUnlock}
	for _, row := range rows {
		f := append(strings.Fields(row), "", "")
		o, ok := objs[f[2]]
		if !ok {
			o = trace.ObjID(len(tr.Objects))
			objs[f[2]] = o
			tr.Objects = append(tr.Objects, trace.Object{Kind: kinds[f[1]], Addr: uintptr(0x1000 + 8*o),
				G: 0, N: int32(o)})
		}
		site, err := strconv.Atoi(strings.TrimPrefix(f[3], "s"))
		if err != nil {
			t.Fatalf("%q: %v", row, err)
		}
		arg, val := int64(0), f[4]
		switch f[1] {
		case "R", "W":
			arg = 8
		case "add":
			if arg, err = strconv.ParseInt(val, 10, 64); err != nil {
				t.Fatalf("%q: %v", row, err)
			}
			val = ""
		}
		event(gids[f[0]], ops[f[1]], o, arg, site, val)
	}
	return tr
}

// createFrom applies Algorithm 3 with these rules to a trace.
func createFrom(tr *trace.Trace, rules Rules) *creation {
	s := mapcov.NewSet()
	as := s.Names.Read(tr)
	s.AddAccesses(as)
	c := &creation{as: as, set: s, rules: rules, longest: mapcov.MaxSteps,
		problem: order.New(tr, order.Options{})}
	c.create()
	return c
}

// texts returns candidates as the paper writes them: "R6 W26 R8".
func (c *creation) texts() map[string]int {
	m := map[string]int{}
	for i := range c.found {
		m[c.text(&c.found[i])]++
	}
	return m
}

func (c *creation) text(k *candidate) string {
	var w []string
	for i := range k.n {
		op := "R"
		if k.write[i] {
			op = "W"
		}
		w = append(w, op+strconv.Itoa(trace.Site(c.as.All[k.access[i]].Site).Index()))
	}
	return strings.Join(w, " ")
}

// same reports that candidates are these.
func (c *creation) same(t *testing.T, want ...string) {
	t.Helper()
	got := c.texts()
	for _, w := range want {
		if got[w] == 0 {
			t.Errorf("no candidate %s", w)
		}
		delete(got, w)
	}
	for g := range got {
		t.Errorf("candidate %s should not be there", g)
	}
}

// sequential sorts the lines of a trace by goroutine.
func sequential(lines string) string {
	rows := strings.Split(lines, "\n")
	slices.SortStableFunc(rows, func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
	return strings.Join(rows, "\n")
}
