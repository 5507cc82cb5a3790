package dpor

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"

	"heddle/trace"
)

func brief(t *trace.Trace) string {
	var b strings.Builder
	ts := transitions(t)
	for _, x := range ts {
		b.WriteString(x.name)
		for _, e := range x.events {
			ev := t.Events[e]
			if ev.Obj != 0 {
				fmt.Fprintf(&b, ":%v%d(%d)", ev.Op, ev.Obj, ev.Arg)
			}
		}
		b.WriteString("  ")
	}
	return b.String()
}

func TestDebug(t *testing.T) {
	if os.Getenv("SEED") == "" {
		t.Skip()
	}
	seed, _ := strconv.Atoi(os.Getenv("SEED"))
	kinds := strings.Split(os.Getenv("KINDS"), ",")
	r := rand.New(rand.NewSource(int64(seed)))
	p := random(r, kinds, 2+r.Intn(3), 3)
	fmt.Println(p)
	var w *world
	x := newExecutor(p.main(&w))
	s := New(Options{})
	seen := map[uint64]int{}
	for n := 0; n < 60; n++ {
		if x.again() {
			s = New(Options{})
			clear(seen)
			fmt.Println("again")
		}
		sch := s.Next()
		if sch == nil {
			break
		}
		tr := x.run(sch, x.first)
		fmt.Println(n, "keep", s.keep, "prefix", len(sch.Steps), brief(tr), w.outcome(tr))
		for _, l := range tr.Left {
			fmt.Printf("    left %+v\n", l)
		}
		rd := s.redundant
		s.Done(tr)
		k := canonical(tr, s.tab)
		if m, ok := seen[k]; ok {
			fmt.Println("   REPEATS", m)
		}
		seen[k] = n
		if s.redundant > rd {
			fmt.Println("   redundant")
		}
		for i := range s.nodes {
			for _, w := range s.nodes[i].tree {
				fmt.Print("   node ", i, ":")
				show(s, w)
				fmt.Println()
			}
		}
	}
}

func show(s *Strategy, w *wakeup) {
	fmt.Print(" ", s.tab.Name(w.t.Proc), w.t.Op)
	if w.t.With >= 0 {
		fmt.Print("+", s.tab.Name(w.t.With))
	}
	if len(w.tree) > 0 {
		fmt.Print("(")
		for _, x := range w.tree {
			show(s, x)
			fmt.Print("|")
		}
		fmt.Print(")")
	}
}
