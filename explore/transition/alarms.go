package transition

import "heddle/trace"

// Timers with names of their own. To a search that goes by local states a timer in free time is a
// goroutine: the one that starts the timer starts it, and all that it does is to fire.

// alarms are the timers of the execution that was read last. nil: timers have no names.
type alarms struct {
	nth   []int32       // by event: the number of the timer that it starts, of its goroutine; 0: none
	armed map[int32]int // how many a goroutine has started, by its number
	goes  map[trace.GID]goes
}

// timersGID is the number of the pseudo goroutine "timers".
const timersGID trace.GID = 1

// A goes says where a timer starts a goroutine.
type goes struct {
	armed int32 // the event that started the timer
	n     int32 // of the goroutines that it starts
}

// TellTimers gives each timer a name, as of a goroutine that the one starts which starts the timer.
// Goroutines that a timer starts have names by it then, which do not depend on the order in which
// timers fire. Only timers of executions in free time have such a name.
func (tab *Table) TellTimers() {
	tab.alarms = &alarms{armed: map[int32]int{}, goes: map[trace.GID]goes{}}
}

// read numbers the timers of an execution.
func (a *alarms) read(t *trace.Trace) {
	if a == nil {
		return
	}
	clear(a.armed)
	clear(a.goes)
	for len(a.nth) < len(t.Events) {
		a.nth = append(a.nth, 0)
	}
	fired, n := int32(-1), int32(0)
	for i := range t.Events {
		e := &t.Events[i]
		a.nth[i] = 0
		switch clock := e.Obj != 0 && t.Objects[e.Obj].Kind == trace.ObjClock; {
		case clock && e.Op == trace.OpTimerStart:
			a.armed[int32(e.G)]++
			a.nth[i] = int32(a.armed[int32(e.G)])
		case clock && e.Op == trace.OpTimerFire:
			fired, n = e.Partner, 0
		case e.Op == trace.OpGo && fired >= 0 && e.G == timersGID:
			n++
			a.goes[trace.GID(e.Arg)] = goes{fired, n}
		}
	}
}

// Timer returns the name of the timer that an event of the execution starts which ReadGoroutines or
// Path.Read took last.
func (tab *Table) Timer(t *trace.Trace, event int32) Proc {
	return tab.proc(procRow{tab.procOfGID(t.Events[event].G), -tab.alarms.nth[event]})
}

// nameTimers gives the timers of an execution their names.
func (tab *Table) nameTimers(t *trace.Trace) {
	if tab.alarms == nil {
		return
	}
	for i := range t.Events {
		if tab.alarms.nth[i] > 0 {
			tab.Timer(t, int32(i))
		}
	}
}

// IsTimer reports whether p is the name of a timer.
func (tab *Table) IsTimer(p Proc) bool { return p > Timers && tab.procs[p].n < 0 }

// startedBy returns the row of a goroutine that a timer starts; r is its row without the names of
// timers.
func (tab *Table) startedBy(t *trace.Trace, g trace.GID, r procRow) procRow {
	if tab.alarms == nil {
		return r
	}
	x, ok := tab.alarms.goes[g]
	if !ok {
		return r
	}
	return procRow{tab.Timer(t, x.armed), x.n}
}

// Clock returns the object of the clock.
func (tab *Table) Clock() Object { return tab.intern(clockKey) }
