package predict

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"heddle/trace"
)

// traceOf makes a trace from text, one operation each, such as "1 lock a" or "2 write x"; goroutine
// 0 is main. The n-th operation, from 1, is one step at site n, so it is v_n of the paper's
// figures. "go 2" starts goroutine 2; goroutines without a start exist from the beginning. "1
// signal c" wakes "2 wake c". "1 rendezvous 2 c" is a send of 1 that 2 receives, over a channel
// without a buffer.
func traceOf(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Parent: trace.NoG}}, Objects: make([]trace.Object, 1)}
	objs := map[string]trace.ObjID{}
	last := map[string]int32{}   // event that a partner waits for
	sent := map[string][]int32{} // sends whose values were not received
	for w := range strings.SplitSeq(text, ";") {
		f := strings.Fields(w)
		if len(f) == 0 {
			continue
		}
		g, err := strconv.Atoi(f[0])
		if err != nil || len(f) < 2 {
			t.Fatalf("%q: want a goroutine, an operation and an object", w)
		}
		for len(tr.Goroutines) <= g {
			tr.Goroutines = append(tr.Goroutines, trace.Goroutine{Parent: 0, N: int32(len(tr.Goroutines))})
		}
		n := len(tr.Steps)
		e := trace.Event{G: trace.GID(g), Partner: -1, Arg: 1, Site: trace.Site(n + 1), Step: int32(n)}
		word, kind := f[1], trace.ObjMutex
		with := trace.NoG
		switch word {
		case "read", "write":
			kind, e.Arg = trace.ObjMemory, 8
		case "rlock", "runlock":
			kind = trace.ObjRWMutex
		case "wlock", "wunlock":
			word, kind = word[1:], trace.ObjRWMutex
		case "arrive":
			kind, e.Arg = trace.ObjRWMutex, int64(trace.OpLock)
		case "signal":
			kind = trace.ObjCond
		case "wake":
			word, kind = "cond-wake", trace.ObjCond
		case "send", "recv", "close":
			kind = trace.ObjChan
		case "rendezvous":
			word, kind, e.Arg = "send", trace.ObjChan, 0
			h, err := strconv.Atoi(f[2])
			if err != nil || len(f) < 4 {
				t.Fatalf("%q: want the receiver and the sender", w)
			}
			with = trace.GID(h)
			f = append(f[:2], f[3])
		case "cond-wait":
			kind = trace.ObjCond
		case "wg-done":
			word, kind, e.Arg = "wg-add", trace.ObjWaitGroup, -1
		case "wg-add", "wg-wait":
			kind = trace.ObjWaitGroup
		case "once", "once-done":
			kind = trace.ObjOnce
		case "once-wait":
			word, kind, e.Arg = "once", trace.ObjOnce, 0
		case "unlock":
			e.Arg = 0
		case "atomic-load", "atomic-store":
			kind = trace.ObjAtomic
		}
		op, ok := trace.ParseOp(word)
		if !ok {
			t.Fatalf("%q: no such operation", w)
		}
		e.Op = op
		if op == trace.OpGo {
			e.Arg, _ = strconv.ParseInt(f[2], 10, 64)
			for len(tr.Goroutines) <= int(e.Arg) {
				tr.Goroutines = append(tr.Goroutines, trace.Goroutine{Parent: 0,
					N: int32(len(tr.Goroutines))})
			}
		} else if len(f) > 2 {
			id, ok := objs[f[2]]
			if !ok {
				id = trace.ObjID(len(tr.Objects))
				objs[f[2]] = id
				tr.Objects = append(tr.Objects, trace.Object{Kind: kind, Addr: uintptr(16 * id)})
				if kind == trace.ObjChan && with == trace.NoG {
					tr.Objects[id].Cap = 100
				}
			}
			e.Obj = id
			switch op {
			case trace.OpSignal:
				last[f[2]] = int32(len(tr.Events))
			case trace.OpSend:
				sent[f[2]] = append(sent[f[2]], int32(len(tr.Events)))
			case trace.OpCondWake:
				e.Partner = last[f[2]]
			case trace.OpRecv:
				if q := sent[f[2]]; len(q) > 0 {
					e.Partner, sent[f[2]] = q[0], q[1:]
					tr.Events[q[0]].Partner = int32(len(tr.Events))
				}
			}
		}
		tr.Steps = append(tr.Steps, trace.Step{G: e.G, Op: op, Choice: -1, Site: e.Site,
			With: int32(with) + 1})
		tr.Events = append(tr.Events, e)
		if with != trace.NoG {
			at := int32(len(tr.Events))
			tr.Events[at-1].Partner = at
			tr.Events = append(tr.Events, trace.Event{G: with, Op: trace.OpRecv, Obj: e.Obj, Arg: 1,
				Partner: at - 1, Site: e.Site, Step: int32(n)})
		}
	}
	return tr
}

// graphOf is the graph of a trace in text.
func graphOf(t testing.TB, text string) *Graph {
	t.Helper()
	return NewGraph(traceOf(t, text), Locks)
}

// show prints nodes by their numbers in the figures, from 1.
func show(nodes []int32) string {
	var parts []string
	for _, n := range nodes {
		parts = append(parts, fmt.Sprint(n+1))
	}
	return strings.Join(parts, ",")
}

// candidates prints what was found: "race 2,5".
func candidates(cs []Candidate) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Pattern.Name+" "+show(c.Instances[0].Nodes))
	}
	return out
}

// nodes are the nodes with the given numbers in the figures.
func nodes(ns ...int32) []int32 {
	for i := range ns {
		ns[i]--
	}
	return ns
}
