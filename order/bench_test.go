package order

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"testing"
	"time"

	"heddle/trace"
)

// bigTrace makes the trace of a program whose goroutines lock one of a few
// mutexes at a time, read and write what it protects, and now and then touch
// something unprotected, or pass something over a channel.
func bigTrace(events, regions, gs int) *trace.Trace {
	const locks, vars = 8, 4
	r := rand.New(rand.NewSource(1))
	t := &trace.Trace{Objects: make([]trace.Object, 1+locks*(vars+1)+3)}
	for i := range locks {
		t.Objects[1+i].Kind = trace.ObjMutex
		for k := range vars {
			o := 1 + locks + i*vars + k
			t.Objects[o] = trace.Object{Kind: trace.ObjMemory, Addr: uintptr(o * 8)}
		}
	}
	free := trace.ObjID(len(t.Objects) - 3)
	t.Objects[free] = trace.Object{Kind: trace.ObjMemory, Addr: uintptr(free * 8)}
	t.Objects[free+1] = trace.Object{Kind: trace.ObjMemory, Addr: uintptr(free*8 + 8)}
	t.Objects[free+2] = trace.Object{Kind: trace.ObjChan, Cap: 4}
	add := func(g int, op trace.Op, o trace.ObjID, arg int) int {
		t.Events = append(t.Events, trace.Event{G: trace.GID(g), Op: op, Obj: o, Arg: int64(arg), Partner: -1,
			Step: int32(len(t.Events))})
		return len(t.Events) - 1
	}
	access := func(g int, o trace.ObjID) {
		add(g, []trace.Op{trace.OpRead, trace.OpRead, trace.OpWrite}[r.Intn(3)], o, 8)
	}
	for g := 1; g < gs; g++ {
		add(0, trace.OpGo, 0, g)
	}
	holder := make([]int, locks)
	holds, left := make([]int, gs), make([]int, gs)
	for i := range holder {
		holder[i] = -1
	}
	for g := range holds {
		holds[g] = -1
	}
	inside := max(1, (events*8/10)/regions-2)
	var queue []int
	for len(t.Events) < events {
		g := r.Intn(gs)
		switch l := holds[g]; {
		case l >= 0 && left[g] == 0:
			add(g, trace.OpUnlock, trace.ObjID(1+l), 0)
			holder[l], holds[g] = -1, -1
		case l >= 0:
			left[g]--
			access(g, trace.ObjID(1+locks+l*vars+r.Intn(vars)))
		case r.Intn(inside+2) == 0:
			access(g, free+trace.ObjID(r.Intn(2)))
		case r.Intn(inside+2) == 0 && len(queue) < 4:
			queue = append(queue, add(g, trace.OpSend, free+2, 0))
		case r.Intn(inside+2) == 0 && len(queue) > 0:
			e := add(g, trace.OpRecv, free+2, 1)
			t.Events[e].Partner, t.Events[queue[0]].Partner = int32(queue[0]), int32(e)
			queue = queue[1:]
		default:
			if l := r.Intn(locks); holder[l] < 0 {
				add(g, trace.OpLock, trace.ObjID(1+l), 1)
				holder[l], holds[g], left[g] = g, l, inside
			}
		}
	}
	return t
}

// conflicts returns pairs of unprotected accesses of different goroutines, spread over the trace.
func conflicts(t *trace.Trace, n int) (goals []Goal) {
	free := trace.ObjID(len(t.Objects) - 3)
	var at []int
	for e := range t.Events {
		if ev := &t.Events[e]; ev.Obj == free && (ev.Op == trace.OpRead || ev.Op == trace.OpWrite) {
			at = append(at, e)
		}
	}
	for k := range n {
		for i := len(at) * (k + 1) / (n + 1); i+1 < len(at); i++ {
			a, b := &t.Events[at[i]], &t.Events[at[i+1]]
			if a.G != b.G && (a.Op == trace.OpWrite || b.Op == trace.OpWrite) {
				goals = append(goals, Race(at[i], at[i+1]))
				break
			}
		}
	}
	return goals
}

func BenchmarkGoal(b *testing.B) {
	for _, size := range []struct{ events, regions int }{{5_000, 500}, {20_000, 2_000}, {100_000, 10_000}} {
		t := bigTrace(size.events, size.regions, 16)
		goals := conflicts(t, 8)
		for i, g := range goals {
			b.Run(fmt.Sprintf("%d/%d", size.events, i), func(b *testing.B) {
				var a Answer
				for b.Loop() {
					a = New(t, Options{}).Solve(context.Background(), g)
				}
				b.Logf("%v: %v, %d of %d events, rounds %d, clauses %d, %+v", g.At, a.Verdict, len(a.Order),
					len(t.Events), a.Stats.Rounds, a.Stats.Clauses, a.Stats.Search)
			})
		}
		b.Run(fmt.Sprintf("%d/all", size.events), func(b *testing.B) {
			for b.Loop() {
				p := New(t, Options{})
				for _, g := range goals {
					p.Solve(context.Background(), g)
				}
			}
		})
	}
}

var (
	scale  = flag.String("scale", "", "EVENTS/GOAL: tell what becomes of one question of BenchmarkGoal")
	atMost = flag.Duration("limit", time.Minute, "for -scale")
)

// TestScale shows the way of one question, for work on the solver.
func TestScale(t *testing.T) {
	var events, goal int
	if n, _ := fmt.Sscanf(*scale, "%d/%d", &events, &goal); n < 2 {
		t.Skip("without -scale")
	}
	tr := bigTrace(events, events/10, 16)
	p := New(tr, Options{})
	g := conflicts(tr, 8)[goal]
	ctx, cancel := context.WithTimeout(context.Background(), *atMost)
	defer cancel()
	p.watch = func(round, nodes int) {
		t.Logf("round %d: %d nodes, %d clauses, %d variables, %+v", round, nodes, p.added, p.s.Vars(),
			p.s.Stats)
	}
	a := p.Solve(ctx, g)
	t.Logf("%v: %v %q %d rounds", g, a.Verdict, a.Reason, a.Stats.Rounds)
}

// oneChannel makes the trace of some producers and a consumer at one channel with room for a few
// values, with accesses to one variable after every so many of them.
func oneChannel(events, room, producers int) *trace.Trace {
	r := rand.New(rand.NewSource(1))
	t := &trace.Trace{Objects: []trace.Object{{}, {Kind: trace.ObjChan, Cap: int32(room)},
		{Kind: trace.ObjMemory, Addr: 8}}}
	add := func(g int, op trace.Op, o trace.ObjID, arg int) int {
		t.Events = append(t.Events, trace.Event{G: trace.GID(g), Op: op, Obj: o, Arg: int64(arg), Partner: -1,
			Step: int32(len(t.Events))})
		return len(t.Events) - 1
	}
	var queue []int
	for n := 0; len(t.Events) < events; n++ {
		switch {
		case n%100 == 99:
			add(r.Intn(producers+1), trace.OpWrite, 2, 8)
		case len(queue) < room && (len(queue) == 0 || r.Intn(2) == 0):
			queue = append(queue, add(1+r.Intn(producers), trace.OpSend, 1, 0))
		default:
			e := add(0, trace.OpRecv, 1, 1)
			t.Events[e].Partner, t.Events[queue[0]].Partner = int32(queue[0]), int32(e)
			queue = queue[1:]
		}
	}
	return t
}

// writesOf returns pairs of neighbouring writes of different goroutines, spread over the trace.
func writesOf(t *trace.Trace, n int) (goals []Goal) {
	var at []int
	for e := range t.Events {
		if t.Events[e].Op == trace.OpWrite {
			at = append(at, e)
		}
	}
	for k := range n {
		for i := (len(at) - 2) * (k + 1) / n; i > 0; i-- {
			if t.Events[at[i]].G != t.Events[at[i+1]].G {
				goals = append(goals, Race(at[i], at[i+1]))
				break
			}
		}
	}
	return goals
}

// atMostAsked bounds a question of BenchmarkChannel: of several producers some take too long.
const atMostAsked = 20 * time.Second

func BenchmarkChannel(b *testing.B) {
	for _, producers := range []int{1, 8} {
		for _, events := range []int{12_500, 25_000, 50_000, 100_000} {
			t := oneChannel(events, 8, producers)
			goals := writesOf(t, 3)
			b.Run(fmt.Sprintf("%d/%d", producers, events), func(b *testing.B) {
				var a Answer
				unknown := 0
				for b.Loop() {
					p := New(t, Options{})
					unknown = 0
					for _, g := range goals {
						ctx, cancel := context.WithTimeout(context.Background(), atMostAsked)
						a = p.Solve(ctx, g)
						cancel()
						if a.Verdict == Unknown {
							unknown++
						}
					}
				}
				b.Logf("%d of %d unknown; the last: %v, rounds %d, clauses %d, %+v", unknown, len(goals),
					a.Verdict, a.Stats.Rounds, a.Stats.Clauses, a.Stats.Search)
			})
		}
	}
}
