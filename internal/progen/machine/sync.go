package machine

import (
	"unsafe"

	"heddle/internal/progen"
	"heddle/rt/flow"
	"heddle/rt/hook"
)

// doSync executes a statement over a Cond, a WaitGroup or a Once.
func (m *Machine) doSync(f *frame, s *progen.Stmt) {
	switch s.Op {
	case progen.Wait:
		c, mu := unsafe.Pointer(&m.conds[s.Obj]), &m.mutexes[m.p.Conds[s.Obj]]
		hook.CondAdd(c, pc(s.ID))
		m.unlock(mu, s.ID)
		hook.CondBlock(c, pc(s.ID))
		m.lock(mu, s.ID)
	case progen.Signal, progen.Cast:
		hook.CondSignal(unsafe.Pointer(&m.conds[s.Obj]), s.Op == progen.Cast, pc(s.ID))
	case progen.GroupAdd:
		m.groupAdd(s, s.Val)
	case progen.Done:
		m.groupAdd(s, -1)
	case progen.Join:
		hook.WGWait(unsafe.Pointer(&m.groups[s.Obj]), m.groups[s.Obj].n, pc(s.ID))
	case progen.Once:
		o := &m.onces[s.Obj]
		if hook.OnceDo(unsafe.Pointer(o), o.done, pc(s.ID)) {
			m.run(f.kid("once"), s.Body)
			hook.OnceDone(unsafe.Pointer(o), pc(s.ID))
			o.done = true
		}
	}
}

func (m *Machine) groupAdd(s *progen.Stmt, delta int) {
	wg := &m.groups[s.Obj]
	hook.WGAdd(unsafe.Pointer(wg), delta, wg.n, pc(s.ID))
	if wg.n += delta; wg.n < 0 {
		panic("sync: negative WaitGroup counter")
	}
}

// doChan executes a statement over channels.
func (m *Machine) doChan(f *frame, s *progen.Stmt) {
	at := site(s.ID)
	if m.p.Slots && s.Op != progen.Select {
		doSlots(f, s, m.slots[s.Obj])
		return
	}
	switch s.Op {
	case progen.Send:
		hook.To(m.chans[s.Obj], at).Send(f.value(s))
	case progen.Recv:
		f.regs[s.Reg] = received(hook.Recv2(m.chans[s.Obj], at))
	case progen.Close:
		hook.Close(m.chans[s.Obj], at)
	case progen.Len:
		f.regs[s.Reg] = hook.Len(m.chans[s.Obj], at)
	case progen.Range:
		for t := f.begin(); ; t = f.turn(t, 0) {
			v, ok := hook.Recv2(m.chans[s.Obj], at)
			if !ok {
				break
			}
			f.regs[s.Reg] += v
		}
	case progen.Select:
		m.doSelect(f, s)
	}
}

// doSlots is doChan for a channel whose values have no size.
func doSlots(f *frame, s *progen.Stmt, c chan struct{}) {
	at := site(s.ID)
	switch s.Op {
	case progen.Send:
		hook.To(c, at).Send(struct{}{})
	case progen.Recv:
		_, ok := hook.Recv2(c, at)
		f.regs[s.Reg] = received(0, ok)
	case progen.Close:
		hook.Close(c, at)
	case progen.Len:
		f.regs[s.Reg] = hook.Len(c, at)
	case progen.Range:
		for t := f.begin(); ; t = f.turn(t, 0) {
			if _, ok := hook.Recv2(c, at); !ok {
				break
			}
		}
	}
}

func received(v int, ok bool) int {
	if !ok {
		return -1
	}
	return v
}

func (m *Machine) doSelect(f *frame, s *progen.Stmt) {
	cases := make([]hook.SelectCase, len(s.Cases))
	for i := range s.Cases {
		c := &s.Cases[i]
		switch {
		case c.After > 0:
			cases[i] = hook.OnRecv(m.newTimer(c.After, 0, s.ID).c)
		case m.p.Slots && c.Send:
			cases[i] = hook.OnSend(m.slots[c.Obj]).Of(struct{}{})
		case m.p.Slots:
			cases[i] = hook.OnRecv(m.slots[c.Obj])
		case c.Send:
			cases[i] = hook.OnSend(m.chans[c.Obj]).Of(c.Val)
		default:
			cases[i] = hook.OnRecv(m.chans[c.Obj])
		}
	}
	var c flow.Call
	if m.Exprs {
		flow.Out(0, 0, &c)
	}
	i := hook.Select(site(s.ID), s.Def, cases...)
	l := m.chosen(i, s, &c)
	if i < 0 {
		m.block(f, s.Else)
		return
	}
	taken := &s.Cases[i]
	if r, ok := cases[i].(*hook.RecvCase[int]); ok {
		f.regs[taken.Reg], f.from[taken.Reg] = received(r.V, r.OK), l
	}
	if r, ok := cases[i].(*hook.RecvCase[struct{}]); ok {
		f.regs[taken.Reg], f.from[taken.Reg] = received(0, r.OK), l
	}
	m.block(f, taken.Body)
}

const millisecond = 1_000_000

// doTime executes a statement over timers.
func (m *Machine) doTime(f *frame, s *progen.Stmt) {
	switch s.Op {
	case progen.Sleep:
		if f.patient {
			hook.Yield(pc(s.ID))
			return
		}
		hook.Sleep(int64(s.Val)*millisecond, pc(s.ID))
	case progen.Clock:
		f.regs[s.Reg] = int(hook.Now() / (10 * millisecond))
	case progen.After:
		t := new(timer)
		m.started = append(m.started, t)
		kid := f.kid("")
		m.start(t, s.Val, 0, s.ID, func(any, uintptr, int64) {
			hook.Go(site(s.ID), func() { m.run(kid, s.Body) })
		})
	case progen.Stop:
		active, _ := hook.TimerStop(unsafe.Pointer(m.timers[s.Obj]), pc(s.ID))
		m.timers[s.Obj].drop()
		f.regs[s.Reg] = bit(active && !m.p.Ticks)
	case progen.Reset:
		active, _ := hook.TimerReset(unsafe.Pointer(m.timers[s.Obj]), in(s.Val),
			int64(m.every(s.Val))*millisecond, pc(s.ID))
		m.timers[s.Obj].drop()
		f.regs[s.Reg] = bit(active && !m.p.Ticks)
	case progen.Fired:
		hook.Recv(m.timers[s.Obj].c, site(s.ID))
	}
}

// every returns how long a timer that is started for d runs the next times; 0: it fires once.
func (m *Machine) every(d int) int {
	if m.p.Ticks {
		return d
	}
	return 0
}

// newTimer is time.NewTimer, time.After, and, where it fires again, time.NewTicker.
func (m *Machine) newTimer(d, every, id int) *timer {
	t := &timer{c: hook.MadeChan(make(chan int, 1), site(id))}
	m.started = append(m.started, t)
	m.start(t, d, every, id, func(any, uintptr, int64) {
		hook.Select(site(id), true, hook.OnSend(t.c).Of(1))
	})
	return t
}

func (m *Machine) start(t *timer, d, every, id int, f func(any, uintptr, int64)) {
	hook.Var(&t.object, site(id))
	var ch unsafe.Pointer
	if t.c != nil {
		ch = *(*unsafe.Pointer)(unsafe.Pointer(&t.c))
	}
	hook.TimerStart(unsafe.Pointer(t), in(d), int64(every)*millisecond, f, nil, ch, pc(id))
}

// in returns the deadline of a timer that is about to be started, as package time does.
func in(d int) int64 {
	hook.Arming = true
	defer func() { hook.Arming = false }()
	return hook.Now() + int64(d)*millisecond
}

// drop removes the value from the native channel that the scheduler removed from its model, when a
// timer that had fired is stopped before a receive.
func (t *timer) drop() {
	select {
	case <-t.c:
	default:
	}
}
