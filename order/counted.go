package order

import (
	"slices"

	"heddle/trace"
)

// counted refutes goals for which too many operations of a channel must be done: on an unbuffered
// one each receive meets another send, on one with room as many values leave it as came, or fewer.
// The solver would try all ways to pair them, and where there are too many of them it does not know
// (see maxMeetings). p.must has the events that must be done; goroutines of stopped do what is
// before their event. It returns the core, nil if the counts fit.
func (p *Problem) counted(stopped map[trace.GID]int) []Constraint {
	must := make(map[trace.GID]int32) // the last place that must be done
	var channels []trace.ObjID
	for _, e := range p.must {
		ev := &p.m.events[e]
		must[ev.G] = max(must[ev.G], p.m.place[e]+1)
		if (ev.Op == trace.OpSend || ev.Op == trace.OpRecv) && !slices.Contains(channels, ev.Obj) {
			channels = append(channels, ev.Obj)
		}
	}
	for _, o := range channels {
		var sends, recvs []int32
		init, room := 0, 0
		switch u := p.objUnit[o].(type) {
		case *meetingPoint:
			sends, recvs = u.sends, u.recvs
		case *buffer:
			sends, recvs, init, room = u.sends, u.recvs, u.init, int(p.m.t.Objects[o].Cap)
		default:
			continue
		}
		// of events in order of the trace: how many must be done, the last of them, how many may
		count := func(events []int32) (least, last, most int) {
			for _, i := range events {
				e := int(i)
				g := p.m.events[e].G
				if p.m.place[e] < must[g] {
					least, last = least+1, e
				}
				if at, ok := stopped[g]; !ok || e < at {
					most++
				}
			}
			return least, last, most
		}
		sent, send, maySend := count(sends)
		received, recv, mayReceive := count(recvs)
		kind := Meeting
		if room > 0 {
			kind = Capacity
		}
		var e int
		switch {
		case received > maySend+init:
			e = recv
		case sent+init > mayReceive+room:
			e = send
		default:
			continue
		}
		core := []Constraint{{kind, []int{e}}}
		for _, at := range sorted(stopped) {
			core = append(core, Constraint{Target, []int{at}})
		}
		sortConstraints(core)
		return core
	}
	return nil
}
