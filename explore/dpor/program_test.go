package dpor

import (
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"unsafe"

	"heddle/rt/hook"
	"heddle/rt/sched"
	"heddle/trace"
)

// Little programs as data, executed by the real scheduler: their statements
// call the hooks as rewritten code does.

type program struct {
	bodies [][]stmt // of each goroutine; 0 is main
	caps   []int    // of the channels
}

type stmt struct {
	op    string
	obj   int
	arg   int
	cases []stmt // of a select: "send" and "recv"
}

func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "channels %v\n", p.caps)
	for i, body := range p.bodies {
		fmt.Fprintf(&b, "g%d:", i)
		for _, st := range body {
			fmt.Fprintf(&b, " %s", st)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (st stmt) String() string {
	s := fmt.Sprintf("%s%d", st.op, st.obj)
	if st.op == "add" {
		s += fmt.Sprintf("(%+d)", st.arg)
	}
	if len(st.cases) > 0 {
		s = st.op + fmt.Sprint(st.cases)
	}
	return s + ";"
}

const objects = 3

// A world is the objects of one execution. The sizes are those of the real types.
type world struct {
	vars   [objects]int
	atoms  [objects]uint32
	mus    [objects][8]byte
	rws    [objects][24]byte
	wgs    [objects][16]byte
	onces  [objects][16]byte
	conds  [objects][48]byte
	waits  [objects]int
	chans  [objects]chan int
	logs   [][]int
	inside *program
}

// main returns the program's function main. Each execution leaves its world in *last.
func (p *program) main(last **world) func() {
	return func() {
		w := hook.New(new(world), 1)
		*last = w
		w.inside = p
		w.logs = make([][]int, len(p.bodies))
		for i, n := range p.caps {
			w.chans[i] = hook.MadeChan(make(chan int, n), 2)
		}
		w.run(0)
	}
}

func (w *world) log(g, v int) { w.logs[g] = append(w.logs[g], v) }

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (w *world) run(g int) {
	for i, st := range w.inside.bodies[g] {
		w.do(g, i, st)
	}
	w.log(g, -99)
}

func (w *world) do(g, i int, st stmt) {
	k := st.obj
	mu, rw, wg := unsafe.Pointer(&w.mus[k%objects]), unsafe.Pointer(&w.rws[k%objects]),
		unsafe.Pointer(&w.wgs[k%objects])
	v := 10*g + i
	switch st.op {
	case "go":
		hook.Go(1, func() { w.run(k) })
	case "read":
		w.log(g, hook.P(&w.vars[k], 5).Get())
	case "write":
		hook.P(&w.vars[k], 5).Set(v)
	case "incr":
		q := hook.P(&w.vars[k], 5)
		q.Set(q.Get() + 1)
	case "load", "store", "swap", "cas":
		w.atomic(g, v, st)
	case "lock":
		hook.MutexLock(mu, false, 1)
	case "trylock":
		ok := hook.MutexTryLock(mu, false, 1)
		w.log(g, number(ok))
		if ok {
			hook.MutexUnlock(mu, false, 2)
		}
	case "unlock":
		hook.MutexUnlock(mu, false, 2)
	case "wlock":
		hook.RWLock(rw, 1)
	case "wunlock":
		hook.RWUnlock(rw, 1)
	case "rlock":
		hook.RWRLock(rw, 1)
	case "runlock":
		hook.RWRUnlock(rw, 1)
	case "trywlock":
		ok := hook.RWTryLock(rw, 1)
		w.log(g, number(ok))
		if ok {
			hook.RWUnlock(rw, 1)
		}
	case "tryrlock":
		ok := hook.RWTryRLock(rw, 1)
		w.log(g, number(ok))
		if ok {
			hook.RWRUnlock(rw, 1)
		}
	case "add":
		hook.WGAdd(wg, st.arg, 0, 1) // panics if it must
	case "wait":
		hook.WGWait(wg, 0, 1)
	case "once":
		w.once(g, k)
	case "condwait":
		w.condWait(g, k)
	case "signal", "broadcast":
		hook.CondSignal(unsafe.Pointer(&w.conds[k]), st.op == "broadcast", 1)
	case "send":
		hook.To(w.chans[k], 3).Send(v)
	case "recv":
		x, ok := hook.Recv2(w.chans[k], 3)
		w.log(g, 2*x+number(ok))
	case "close":
		hook.Close(w.chans[k], 3)
	case "len":
		w.log(g, hook.Len(w.chans[k], 3))
	case "select", "poll":
		w.choose(g, v, st)
	case "draw":
		w.log(g, hook.Draw(2, 1))
	case "sleep":
		hook.Sleep(int64(st.arg)*1_000_000, 1)
	default:
		panic(st.op)
	}
}

func (w *world) atomic(g, v int, st stmt) {
	x := &w.atoms[st.obj]
	kind := map[string]uint8{"load": hook.AtomicLoad, "store": hook.AtomicStore, "swap": hook.AtomicRMW,
		"cas": hook.AtomicCAS}[st.op]
	hook.AtomicBegin(unsafe.Pointer(x), 4, kind, 1)
	old := *x
	changed := true
	switch st.op {
	case "load":
		changed = false
	case "cas":
		if changed = old == 0; changed {
			*x = uint32(v)
		}
	default:
		*x = uint32(v)
	}
	if st.op == "cas" {
		hook.AtomicCompared(changed, 0, uint64(*x))
	} else {
		hook.AtomicEnd(changed, uint64(*x))
	}
	if st.op != "store" {
		w.log(g, int(old))
	}
}

func (w *world) once(g, k int) {
	p := unsafe.Pointer(&w.onces[k])
	done := &w.onces[k][0]
	if hook.OnceDo(p, *done != 0, 1) {
		hook.P(&w.vars[k], 5).Set(100 + g)
		*done = 1
		hook.OnceDone(p, 1)
		w.log(g, 1)
	}
}

// condWait is Cond.Wait with mutex k, which it takes before and gives back afterwards.
func (w *world) condWait(g, k int) {
	mu, c := unsafe.Pointer(&w.mus[k]), unsafe.Pointer(&w.conds[k])
	hook.MutexLock(mu, false, 1)
	hook.CondAdd(c, 1)
	hook.MutexUnlock(mu, false, 2)
	hook.CondBlock(c, 1)
	hook.MutexLock(mu, false, 1)
	w.waits[k]++
	w.log(g, w.waits[k])
	hook.MutexUnlock(mu, false, 2)
}

func (w *world) choose(g, v int, st stmt) {
	var cs []hook.SelectCase
	for _, c := range st.cases {
		if c.op == "send" {
			cs = append(cs, hook.OnSend(w.chans[c.obj]).Of(v))
		} else {
			cs = append(cs, hook.OnRecv(w.chans[c.obj]))
		}
	}
	i := hook.Select(4, st.op == "poll", cs...)
	w.log(g, i)
	if i >= 0 {
		if r, ok := cs[i].(*hook.RecvCase[int]); ok {
			w.log(g, 2*r.V+number(r.OK))
		}
	}
}

// outcome is what an execution shows: what every goroutine saw, and how it ended.
func (w *world) outcome(t *trace.Trace) string {
	s := fmt.Sprint(w.logs, w.vars, w.atoms, t.Verdict)
	var fails []string
	for _, f := range sched.S.Failures() {
		fails = append(fails, fmt.Sprint(t.Name(f.G), f.Kind, f.Message, f.Value))
	}
	sort.Strings(fails)
	return s + fmt.Sprint(fails)
}

// random makes a program of n statements a goroutine at most. Blocks of
// statements keep most programs from being all deadlocks and panics.
func random(r *rand.Rand, kinds []string, goroutines, n int) *program {
	p := &program{bodies: make([][]stmt, goroutines)}
	for range objects {
		p.caps = append(p.caps, []int{0, 0, 1, 2}[r.Intn(4)])
	}
	for g := range goroutines {
		for range 1 + r.Intn(n) {
			p.bodies[g] = append(p.bodies[g], block(r, kinds)...)
		}
	}
	// The tree of go statements: each goroutine is started by one before it.
	for g := goroutines - 1; g > 0; g-- {
		by := r.Intn(g)
		at := 0
		if r.Intn(3) == 0 {
			at = r.Intn(len(p.bodies[by]) + 1)
		}
		body := append([]stmt(nil), p.bodies[by][:at]...)
		body = append(body, stmt{op: "go", obj: g})
		p.bodies[by] = append(body, p.bodies[by][at:]...)
	}
	return p
}

func block(r *rand.Rand, kinds []string) []stmt {
	k := r.Intn(2)
	kind := kinds[r.Intn(len(kinds))]
	inner := func() stmt {
		return stmt{op: []string{"read", "write"}[r.Intn(2)], obj: r.Intn(2)}
	}
	switch kind {
	case "mutex":
		return []stmt{{op: "lock", obj: k}, inner(), {op: "unlock", obj: k}}
	case "two":
		return []stmt{{op: "lock", obj: k}, {op: "lock", obj: 1 - k}, {op: "unlock", obj: 1 - k},
			{op: "unlock", obj: k}}
	case "halflock":
		return []stmt{{op: "lock", obj: k}}
	case "rw":
		if r.Intn(2) == 0 {
			return []stmt{{op: "wlock", obj: k}, {op: "wunlock", obj: k}}
		}
		return []stmt{{op: "rlock", obj: k}, {op: "runlock", obj: k}}
	case "halfrw":
		return []stmt{{op: "rlock", obj: k}}
	case "join":
		return []stmt{{op: "add", obj: k, arg: 1}, inner(), {op: "add", obj: k, arg: -1},
			{op: "wait", obj: k}}
	case "add":
		return []stmt{{op: "add", obj: k, arg: []int{1, 1, -1}[r.Intn(3)]}}
	case "incr":
		return []stmt{{op: "incr", obj: k}}
	case "select", "poll":
		var cs []stmt
		for range 1 + r.Intn(3) {
			cs = append(cs, stmt{op: []string{"send", "recv"}[r.Intn(2)], obj: r.Intn(objects)})
		}
		return []stmt{{op: kind, cases: cs}}
	case "send", "recv", "close", "len":
		return []stmt{{op: kind, obj: r.Intn(objects)}}
	case "sleep":
		return []stmt{{op: kind, arg: 1 + r.Intn(2)}}
	}
	return []stmt{{op: kind, obj: k}}
}
