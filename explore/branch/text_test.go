package branch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/trace"
)

// A written is an execution written down: a line an operation, such as
//
//	T1 1 write n < x y
//	T1 2 branch true < n
//
// goroutine, line of the program, operation, operand; after < the variables that the value was
// computed from, as the goroutine read them last.
type written struct {
	*trace.Trace
	lines map[trace.Site]string
	obj   map[string]trace.ObjID
	gid   map[string]trace.GID
}

var hash = trace.PackageHash("paper")

var wordOps = map[string]trace.Op{
	"read": trace.OpRead, "write": trace.OpWrite, "lock": trace.OpLock, "unlock": trace.OpUnlock,
	"wait": trace.OpCondWait, "wake": trace.OpCondWake, "notifyAll": trace.OpBroadcast,
	"notify": trace.OpSignal, "branch": trace.OpBranch,
	"rlock": trace.OpRLock, "runlock": trace.OpRUnlock,
}

func parse(t *testing.T, text string) *written {
	t.Helper()
	w := &written{Trace: &trace.Trace{Objects: make([]trace.Object, 1),
		Flow: &trace.Flow{Nodes: make([]trace.FlowNode, 1)}},
		lines: map[trace.Site]string{}, obj: map[string]trace.ObjID{}, gid: map[string]trace.GID{}}
	w.Goroutines = append(w.Goroutines, trace.Goroutine{Parent: trace.NoG})
	last := map[string]int{} // by goroutine and variable: where it was read last
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		what, from, _ := strings.Cut(line, "<")
		f := strings.Fields(what)
		if len(f) == 0 {
			continue
		}
		op, ok := wordOps[f[2]]
		if !ok || len(f) < 4 {
			t.Fatalf("%q?", line)
		}
		g, ok := w.gid[f[0]]
		if !ok {
			g = trace.GID(len(w.Goroutines))
			w.gid[f[0]] = g
			w.Goroutines = append(w.Goroutines, trace.Goroutine{N: int32(g)})
		}
		n, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		e := trace.Event{G: g, Op: op, Site: trace.NewSite(hash, n, 0, false), Partner: -1,
			Step: int32(len(w.Steps))}
		if op == trace.OpBranch {
			e.Arg = map[string]int64{"true": 1, "false": 0}[f[3]]
		} else {
			e.Obj = w.object(op, f[3])
		}
		w.lines[e.Site] = f[1]
		l := trace.Label(0)
		for _, v := range strings.Fields(from) {
			i, ok := last[f[0]+" "+v]
			if !ok {
				t.Fatalf("%q: %s was not read", line, v)
			}
			l = w.union(l, w.node(trace.FlowNode{Op: trace.FlowRead, A: uint32(i)}))
		}
		switch op {
		case trace.OpRead, trace.OpWrite:
			e.Arg = 8
		case trace.OpCondWake:
			e.Partner = int32(w.find("24"))
		}
		if op == trace.OpRead {
			last[f[0]+" "+f[3]] = len(w.Events)
		}
		w.Flow.Of = append(w.Flow.Of, l)
		w.Steps = append(w.Steps, trace.Step{G: g, Op: op, Choice: -1, Default: g, Site: e.Site})
		w.Events = append(w.Events, e)
	}
	return w
}

func (w *written) node(n trace.FlowNode) trace.Label {
	w.Flow.Nodes = append(w.Flow.Nodes, n)
	return trace.Label(len(w.Flow.Nodes) - 1)
}

func (w *written) union(a, b trace.Label) trace.Label {
	if a == 0 {
		return b
	}
	return w.node(trace.FlowNode{Op: trace.FlowUnion, A: uint32(a), B: uint32(b)})
}

func (w *written) object(op trace.Op, name string) trace.ObjID {
	if o := w.obj[name]; o != 0 {
		return o
	}
	kind := trace.ObjMemory
	switch op {
	case trace.OpLock, trace.OpUnlock:
		kind = trace.ObjMutex
	case trace.OpRLock, trace.OpRUnlock:
		kind = trace.ObjRWMutex
	case trace.OpCondWait, trace.OpCondWake, trace.OpBroadcast, trace.OpSignal:
		kind = trace.ObjCond
	}
	o := trace.ObjID(len(w.Objects))
	w.obj[name] = o
	w.Objects = append(w.Objects, trace.Object{Kind: kind, N: int32(o), Addr: uintptr(16 * o)})
	return o
}

func (w *written) name(o trace.ObjID) string {
	for name, x := range w.obj {
		if x == o {
			return name
		}
	}
	return "?"
}

// all counts every object as shared.
func all(trace.ObjID) bool { return true }

// text is an event as the paper writes it.
func (w *written) text(event int32) string {
	e := &w.Events[event]
	return fmt.Sprintf("%s:%s %s", w.lines[e.Site], e.Op, w.name(e.Obj))
}

// order is a sequence of ops as the paper writes it.
func (w *written) order(x *Execution, ops []int32) string {
	var s []string
	for _, op := range ops {
		s = append(s, w.text(x.Ops[op].Event))
	}
	return strings.Join(s, " -> ")
}

// ud is a use-define as the paper writes it: variable, use, define.
func (w *written) ud(u UseDefine) string {
	return fmt.Sprintf("(%s, %s, %s)", w.name(w.Events[u.Use].Obj), w.lines[w.Events[u.Use].Site],
		w.lines[w.Events[u.Define].Site])
}

func (w *written) uds(list []UseDefine, extended bool) []string {
	var s []string
	for _, u := range list {
		if u.Extended == extended {
			s = append(s, w.ud(u))
		}
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// groups prints the groups that have members: order and members, V1 being the first variant.
func (w *written) groups(x *Execution, gs []Group) []string {
	var s []string
	for _, g := range gs {
		if len(g.Members) == 0 {
			continue
		}
		var vs []string
		for _, m := range g.Members {
			vs = append(vs, fmt.Sprintf("V%d", m+1))
		}
		s = append(s, "{"+strings.Join(vs, ", ")+"} "+w.order(x, g.Order))
	}
	return s
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got  %s\n want %s", what, strings.Join(got, "\n      "),
			strings.Join(want, "\n      "))
	}
}
