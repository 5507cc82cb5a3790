package model

import (
	"fmt"
	"slices"
	"testing"

	"heddle/trace"
)

// A move is an operation with what it brings.
type move struct {
	op  trace.Op
	arg int32
}

func (m move) String() string { return fmt.Sprintf("%v(%d)", m.op, m.arg) }

// movesOf are the operations of a primitive that goroutines may begin at any time, with arguments
// of each sign where that matters.
func movesOf(p *Primitive) (ms []move) {
	for op := range p.byOp {
		given := false
		for _, r := range p.byOp[op] {
			given = given || r.Outcome == Given && r.Sign != anySign
		}
		switch {
		case len(p.byOp[op]) == 0:
		case given:
			ms = append(ms, move{trace.Op(op), -1}, move{trace.Op(op), 1}, move{trace.Op(op), 2})
		default:
			ms = append(ms, move{op: trace.Op(op)})
		}
	}
	return ms
}

// statesOf are the states that operations lead to, with counters up to a bound.
func statesOf(p *Primitive, o *Object) (states []State) {
	const bound = 3
	seen := map[State]bool{}
	var visit func(s State)
	visit = func(s State) {
		for _, n := range s {
			if n > bound || n < -bound {
				return
			}
		}
		if seen[s] {
			return
		}
		seen[s] = true
		states = append(states, s)
		for _, m := range movesOf(p) {
			if r, _, next := p.Step(o, s, m.op, m.arg); r != nil && !r.Panics {
				visit(next)
			}
		}
	}
	visit(p.Start(o))
	return states
}

// objectsOf are the objects of a kind that rules tell apart.
func objectsOf(p *Primitive, ordered bool) []*Object {
	if p.Kind == trace.ObjChan {
		return []*Object{{Kind: p.Kind, Ordered: ordered}, {Kind: p.Kind, Cap: 1, Ordered: ordered},
			{Kind: p.Kind, Cap: 2, Ordered: ordered}}
	}
	if p.Kind == trace.ObjSocket {
		return []*Object{{Kind: p.Kind, Cap: 2, Ordered: ordered}}
	}
	return []*Object{{Kind: p.Kind, Ordered: ordered}, {Kind: p.Kind, Init: 1, Ordered: ordered}}
}

// TestConflict compares Conflict with what it is for: in every small state, two operations of
// different goroutines whose modes do not conflict have the same outcomes and leave the same state
// in both orders, and neither keeps the other from going on or lets it.
func TestConflict(t *testing.T) {
	for _, p := range All() {
		for _, ordered := range []bool{false, true} {
			for _, o := range objectsOf(p, ordered) {
				for _, s := range statesOf(p, o) {
					for _, a := range movesOf(p) {
						for _, b := range movesOf(p) {
							checkPair(t, p, o, s, a, b)
						}
					}
				}
			}
		}
	}
}

func checkPair(t *testing.T, p *Primitive, o *Object, s State, a, b move) {
	ra, oa, sa := p.Step(o, s, a.op, a.arg)
	if ra == nil || ra.Panics || ra.Unseen {
		return
	}
	rb, ob, sb := p.Step(o, s, b.op, b.arg)
	rb2, ob2, sab := p.Step(o, sa, b.op, b.arg) // after a
	if rb2 == nil && rb == nil || rb2 != nil && rb2.Unseen || rb != nil && rb.Panics {
		return
	}
	differs := ""
	switch {
	case rb == nil:
		differs = "the first lets the second go on"
		if ra.Order&ByPartner != 0 && rb2.Order&ByPartner != 0 {
			// ordered with the partner alone: the k-th send with the k-th receive, the signal with
			// the goroutines that it wakes
			return
		}
	case rb2 == nil:
		differs = "the first keeps the second from going on"
	default:
		ra2, oa2, sba := p.Step(o, sb, a.op, a.arg)
		switch {
		case ra2 == nil:
			differs = "the second keeps the first from going on"
		case oa2 != oa && ra.Outcome != After || ob2 != ob && rb.Outcome != After:
			differs = fmt.Sprintf("outcomes %d and %d, in the other order %d and %d", oa, ob2, oa2, ob)
		case sab != sba:
			differs = fmt.Sprintf("states %v and %v", sab, sba)
		}
	}
	if differs == "" {
		return
	}
	if !o.Ordered && (s[0] < 0 || sa[0] < 0 || sb[0] < 0 || sab[0] < 0 || rb2 != nil && rb2.Panics) {
		return // see Object.Ordered
	}
	ma, _ := p.Mode(o, a.op, oa)
	out := ob2
	if rb2 == nil {
		out = ob
	}
	mb, _ := p.Mode(o, b.op, out)
	if !Conflict(ma, mb) {
		t.Errorf("%v (capacity %d, ordered %v) in state %v: %v and %v do not conflict, but %s", p.Kind, o.Cap,
			o.Ordered, s, a, b, differs)
	}
}

// TestSettled compares Settled, After and Step, which have to agree.
func TestSettled(t *testing.T) {
	for _, p := range All() {
		for _, o := range objectsOf(p, false) {
			for _, s := range statesOf(p, o) {
				for _, m := range movesOf(p) {
					r, outcome, next := p.Step(o, s, m.op, m.arg)
					if r == nil {
						continue
					}
					if got := p.After(o, s, m.op, outcome); got != next {
						t.Errorf("%v %v: After %v has %v, Step %v", p.Kind, m, s, got, next)
					}
					if got, ok := p.Settled(o, m.op, outcome); ok && got != next {
						t.Errorf("%v %v: Settled has %v, Step %v", p.Kind, m, got, next)
					}
				}
			}
		}
	}
}

// TestDocumented goes through sequences that the documentation of the primitives decides.
func TestDocumented(t *testing.T) {
	const waits = -99
	type step struct {
		op   trace.Op
		arg  int32
		want int32 // outcome
	}
	tests := []struct {
		what  string
		o     Object
		steps []step
	}{
		{"a locked mutex keeps Lock waiting and TryLock fails", Object{Kind: trace.ObjMutex}, []step{
			{trace.OpLock, 0, 1}, {trace.OpLock, 0, waits}, {trace.OpTryLock, 0, 0}, {trace.OpUnlock, 0, 0},
			{trace.OpTryLock, 0, 1}, {trace.OpUnlock, 0, 0}, {trace.OpUnlock, 0, -1}}},
		{"a mutex that was locked before", Object{Kind: trace.ObjMutex, Init: 1},
			[]step{{trace.OpLock, 0, waits}, {trace.OpUnlock, 0, 0}, {trace.OpLock, 0, 1}}},
		{"a blocked Lock call excludes new readers", Object{Kind: trace.ObjRWMutex}, []step{
			{trace.OpRLock, 0, 1}, {trace.OpRLock, 0, 1}, {trace.OpArrive, 0, 0}, {trace.OpLock, 0, waits},
			{trace.OpRLock, 0, waits}, {trace.OpTryRLock, 0, 0},
			{trace.OpRUnlock, 0, 0}, {trace.OpLock, 0, waits}, {trace.OpRUnlock, 0, 0}, {trace.OpLock, 0, 1},
			{trace.OpArrive, 0, waits}, {trace.OpUnlock, 0, 0}, {trace.OpTryRLock, 0, 1},
			{trace.OpTryLock, 0, 0}}},
		{"RUnlock of an unlocked RWMutex", Object{Kind: trace.ObjRWMutex}, []step{{trace.OpRUnlock, 0, -1}}},
		{"Wait blocks until the counter is zero", Object{Kind: trace.ObjWaitGroup}, []step{
			{trace.OpWGWait, 0, 0}, {trace.OpWGAdd, 2, 2}, {trace.OpWGWait, 0, waits},
			{trace.OpWGAdd, -1, -1}, {trace.OpWGWait, 0, waits}, {trace.OpWGAdd, -1, -1},
			{trace.OpWGWait, 0, 0}}},
		{"Once runs one function, and others wait for it", Object{Kind: trace.ObjOnce}, []step{
			{trace.OpOnce, 0, 1}, {trace.OpOnce, 0, waits}, {trace.OpOnceDone, 0, 0}, {trace.OpOnce, 0, 0}}},
		{"a signal wakes one, a broadcast all", Object{Kind: trace.ObjCond}, []step{
			{trace.OpSignal, 0, 0}, {trace.OpCondWait, 0, 0}, {trace.OpCondWait, 0, 0},
			{trace.OpCondWait, 0, 0}, {trace.OpSignal, 0, 3}, {trace.OpBroadcast, 0, 2},
			{trace.OpBroadcast, 0, 0}}},
		{"a buffered channel", Object{Kind: trace.ObjChan, Cap: 1}, []step{
			{trace.OpRecv, 0, waits}, {trace.OpSend, 0, 0}, {trace.OpSend, 0, waits}, {trace.OpClose, 0, 0},
			{trace.OpRecv, 0, 1}, {trace.OpRecv, 0, 0}, {trace.OpSend, 0, -1}, {trace.OpClose, 0, -1}}},
		{"a closed channel that was full before", Object{Kind: trace.ObjChan, Cap: 2,
			Init: trace.ChanState(2, true)}, []step{
			{trace.OpSend, 0, -1}, {trace.OpRecv, 0, 1}, {trace.OpRecv, 0, 1}, {trace.OpRecv, 0, 0}}},
		{"a timer's Stop takes its value out", Object{Kind: trace.ObjChan, Cap: 1,
			Init: trace.ChanState(1, false)}, []step{{trace.OpTimerStop, 0, 0}, {trace.OpRecv, 0, waits}}},
		{"a semaphore", Object{Kind: trace.ObjSemaphore, Init: 1}, []step{
			{trace.OpAcquire, 0, 0}, {trace.OpAcquire, 0, waits}, {trace.OpRelease, 0, 1},
			{trace.OpRelease, 0, 2}, {trace.OpAcquire, 0, 1}}},
		{"a socket drops what it has no room for", Object{Kind: trace.ObjSocket, Cap: 2}, []step{
			{trace.OpPacketRecv, 0, waits}, {trace.OpPacketSend, 0, 1}, {trace.OpPacketSend, 0, 1},
			{trace.OpPacketSend, 0, trace.PacketDropped}, {trace.OpPacketRecv, 0, 1},
			{trace.OpPacketRecv, 0, 1}, {trace.OpPacketRecv, 0, waits}}},
		{"an expired deadline is reported before a packet", Object{Kind: trace.ObjSocket, Cap: 2}, []step{
			{trace.OpPacketSend, 0, 1}, {trace.OpSocketExpire, 0, 1},
			{trace.OpPacketRecv, 0, trace.SocketExpired}, {trace.OpSocketRenew, 0, 1},
			{trace.OpPacketRecv, 0, 1}}},
		{"a closed socket is closed whatever it holds", Object{Kind: trace.ObjSocket, Cap: 2}, []step{
			{trace.OpPacketSend, 0, 1}, {trace.OpSocketClose, 0, 0}, {trace.OpSocketExpire, 0, 0},
			{trace.OpPacketRecv, 0, 0}, {trace.OpPacketSend, 0, 0}, {trace.OpSocketUse, 0, 0}}},
		{"a refused packet is reported once", Object{Kind: trace.ObjSocket, Cap: 2}, []step{
			{trace.OpSocketUse, 0, 1}, {trace.OpSocketRefuse, 0, 1},
			{trace.OpSocketUse, 0, trace.SocketRefused}, {trace.OpSocketUse, 0, 1},
			{trace.OpSocketRefuse, 0, 1}, {trace.OpPacketRecv, 0, trace.SocketRefused},
			{trace.OpPacketRecv, 0, waits}}},
		{"a socket that the kernel serves", Object{Kind: trace.ObjSocket, Cap: 2}, []step{
			{trace.OpSocketGive, 0, 1}, {trace.OpPacketSend, 0, trace.SocketNative},
			{trace.OpPacketRecv, 0, trace.SocketNative}, {trace.OpSocketUse, 0, trace.SocketNative}}},
		{"what is not known is always possible", Object{Kind: trace.ObjModel}, []step{{trace.OpModel, 7, 7}}},
	}
	for _, test := range tests {
		p := Of(test.o.Kind)
		s := p.Start(&test.o)
		for i, st := range test.steps {
			r, outcome, next := p.Step(&test.o, s, st.op, st.arg)
			if r == nil {
				outcome = waits
			}
			if outcome != st.want {
				t.Errorf("%s: step %d, %v in state %v: outcome %d, want %d", test.what, i, st.op, s, outcome,
					st.want)
			}
			s = next
		}
	}
}

// TestWaits: which operations block, and which enable them.
func TestWaits(t *testing.T) {
	for _, p := range All() {
		waits := map[trace.Op]bool{}
		for _, o := range objectsOf(p, false) {
			for _, s := range statesOf(p, o) {
				for _, m := range movesOf(p) {
					if r, _, _ := p.Step(o, s, m.op, m.arg); r == nil {
						waits[m.op] = true
					}
				}
			}
		}
		for op := range trace.OpMax {
			if waits[op] != p.Waits(op) {
				t.Errorf("%v %v waits in some state: %v, but Blocking says %v", p.Kind, op, waits[op],
					p.Waits(op))
			}
		}
	}

	type help struct {
		kind    trace.ObjKind
		s       State
		op, by  trace.Op
		outcome int32
		enables bool
		blames  bool
	}
	for _, h := range []help{
		{trace.ObjMutex, State{1}, trace.OpLock, trace.OpUnlock, 0, true, false},
		{trace.ObjMutex, State{1}, trace.OpLock, trace.OpLock, 1, false, true},
		{trace.ObjMutex, State{1}, trace.OpLock, trace.OpTryLock, 0, false, false},
		// takes the lock, and has arrived no longer
		{trace.ObjRWMutex, State{0, 1, 1}, trace.OpRLock, trace.OpLock, 1, true, true},
		{trace.ObjRWMutex, State{0, 1, 1}, trace.OpLock, trace.OpRUnlock, 0, true, false},
		{trace.ObjRWMutex, State{0, 1, 1}, trace.OpLock, trace.OpRLock, 1, false, true},
		{trace.ObjWaitGroup, State{2}, trace.OpWGWait, trace.OpWGAdd, -1, true, false},
		{trace.ObjWaitGroup, State{2}, trace.OpWGWait, trace.OpWGAdd, 1, false, true},
		{trace.ObjSemaphore, State{0}, trace.OpAcquire, trace.OpRelease, 1, true, false},
		{trace.ObjChan, State{}, trace.OpRecv, trace.OpSend, 0, true, false},
		{trace.ObjChan, State{}, trace.OpRecv, trace.OpClose, 0, true, false},
		{trace.ObjChan, State{}, trace.OpRecv, trace.OpRecv, 1, false, true},
		{trace.ObjChan, State{2}, trace.OpSend, trace.OpRecv, 1, true, false},
		{trace.ObjOnce, State{1, 0}, trace.OpOnce, trace.OpOnceDone, 0, true, false},
	} {
		p, o := Of(h.kind), &Object{Kind: h.kind, Cap: 2}
		if got := p.Enables(o, h.s, h.op, h.by, h.outcome); got != h.enables &&
			!(h.kind == trace.ObjRWMutex && h.by == trace.OpLock) {
			t.Errorf("%v %v in %v: %v enables it: %v, want %v", h.kind, h.op, h.s, h.by, got, h.enables)
		}
		if got := p.Blames(o, h.s, h.op, h.by, h.outcome); got != h.blames &&
			!(h.kind == trace.ObjRWMutex && h.by == trace.OpLock) {
			t.Errorf("%v %v in %v: %v makes it wait: %v, want %v", h.kind, h.op, h.s, h.by, got, h.blames)
		}
	}
}

// TestMayConflict compares MayConflict with the modes of all outcomes of two operations.
func TestMayConflict(t *testing.T) {
	for _, p := range All() {
		for i := range p.Rules {
			for j := range p.Rules {
				a, b := &p.Rules[i], &p.Rules[j]
				if !a.Polls && !b.Polls && !a.Unseen && !b.Unseen && Conflict(a.Mode, b.Mode) &&
					!MayConflict(a.Op, b.Op) {
					t.Errorf("%v: %v and %v may conflict", p.Kind, a.Op, b.Op)
				}
			}
		}
	}
}

// TestHelps has which outcomes can enable a blocked operation, in whatever state.
func TestHelps(t *testing.T) {
	for _, h := range []struct {
		o       Object
		op, by  trace.Op
		outcome int32
		want    bool
	}{
		{Object{Kind: trace.ObjMutex}, trace.OpLock, trace.OpUnlock, 0, true},
		{Object{Kind: trace.ObjMutex}, trace.OpLock, trace.OpUnlock, -1, false},
		{Object{Kind: trace.ObjWaitGroup}, trace.OpWGWait, trace.OpWGAdd, -2, true},
		{Object{Kind: trace.ObjWaitGroup}, trace.OpWGWait, trace.OpWGAdd, 1, false},
		{Object{Kind: trace.ObjSemaphore}, trace.OpAcquire, trace.OpRelease, 1, true},
		{Object{Kind: trace.ObjSemaphore}, trace.OpAcquire, trace.OpAcquire, 0, false},
		{Object{Kind: trace.ObjCond}, trace.OpCondWake, trace.OpSignal, 0, true},
		{Object{Kind: trace.ObjChan, Cap: 2}, trace.OpRecv, trace.OpSend, 0, true},
		{Object{Kind: trace.ObjChan, Cap: 2}, trace.OpRecv, trace.OpClose, 0, true},
		{Object{Kind: trace.ObjChan, Cap: 2}, trace.OpRecv, trace.OpRecv, 1, false},
		{Object{Kind: trace.ObjChan, Cap: 2}, trace.OpSend, trace.OpRecv, 1, true},
		{Object{Kind: trace.ObjChan, Cap: 2}, trace.OpSend, trace.OpClose, 0, false},
		{Object{Kind: trace.ObjChan}, trace.OpRecv, trace.OpSend, 0, true},
		{Object{Kind: trace.ObjChan}, trace.OpRecv, trace.OpClose, 0, true},
		{Object{Kind: trace.ObjChan}, trace.OpRecv, trace.OpRecv, 1, false},
		{Object{Kind: trace.ObjChan}, trace.OpSend, trace.OpSend, -1, false},
	} {
		if got := Of(h.o.Kind).Helps(&h.o, h.op, h.by, h.outcome); got != h.want {
			t.Errorf("%v with capacity %d, %v: %v(%d) helps: %v, want %v",
				h.o.Kind, h.o.Cap, h.op, h.by, h.outcome, got, h.want)
		}
	}
}

// TestOps has what is known of an operation alone, whatever its object.
func TestOps(t *testing.T) {
	for _, o := range []struct {
		op      trace.Op
		section Section
		certain bool
		awaits  bool
		helper  trace.Op // OpNone: none
	}{
		{trace.OpLock, Enter, true, true, trace.OpUnlock},
		{trace.OpRLock, EnterShared, true, true, trace.OpUnlock},
		{trace.OpArrive, Outside, true, true, trace.OpUnlock},
		{trace.OpRUnlock, LeaveShared, true, false, trace.OpNone},
		{trace.OpTryLock, Outside, false, false, trace.OpNone},
		{trace.OpOnce, Outside, false, true, trace.OpOnceDone},
		{trace.OpRecv, Outside, true, false, trace.OpSend},
		{trace.OpAcquire, Outside, true, false, trace.OpRelease},
		{trace.OpPacketRecv, Outside, true, false, trace.OpPacketSend},
		{trace.OpRead, Outside, true, false, trace.OpNone},
	} {
		if s, certain := SectionOfOp(o.op); s != o.section || certain != o.certain {
			t.Errorf("%v: section %v, %v, want %v, %v", o.op, s, certain, o.section, o.certain)
		}
		if got := AwaitsSection(o.op); got != o.awaits {
			t.Errorf("%v awaits a section: %v", o.op, got)
		}
		helpers := HelpersOf(o.op)
		if o.helper == trace.OpNone && helpers != nil ||
			o.helper != trace.OpNone && !slices.Contains(helpers, o.helper) {
			t.Errorf("%v is helped by %v, want %v", o.op, helpers, o.helper)
		}
	}
}

// TestLooks has which operations change nothing.
func TestLooks(t *testing.T) {
	for _, l := range []struct {
		o       Object
		op      trace.Op
		outcome int32
		want    bool
	}{
		{Object{Kind: trace.ObjMap}, trace.OpMapLoad, 0, true},
		{Object{Kind: trace.ObjMap}, trace.OpMapStore, 0, false},
		{Object{Kind: trace.ObjChan, Cap: 1}, trace.OpLen, 1, true},
		{Object{Kind: trace.ObjChan}, trace.OpRecv, 0, true},
		{Object{Kind: trace.ObjChan}, trace.OpRecv, 1, false},
		{Object{Kind: trace.ObjChan}, trace.OpTimerStop, 1, false},
		{Object{Kind: trace.ObjPool}, trace.OpPoolPut, 1, false},
		{Object{Kind: trace.ObjSocket}, trace.OpPacketRecv, trace.SocketExpired, true},
		{Object{Kind: trace.ObjSocket}, trace.OpPacketRecv, 1, false},
		{Object{Kind: trace.ObjOther}, trace.OpModel, 0, false},
		{Object{Kind: trace.ObjOther}, trace.OpRead, 0, true},
	} {
		if got := Of(l.o.Kind).Looks(&l.o, l.op, l.outcome); got != l.want {
			t.Errorf("%v, %v(%d) looks: %v, want %v", l.o.Kind, l.op, l.outcome, got, l.want)
		}
	}
}
