package judge

import (
	"fmt"
	"slices"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
	"heddle/trace/remains"
)

// stateWords say what a goroutine waits for, by its pending operation.
var stateWords = map[trace.Op]string{
	trace.OpLock: "waits to lock", trace.OpArrive: "waits to lock",
	trace.OpRLock: "waits to lock for reading", trace.OpSend: "waits to send",
	trace.OpRecv:   "waits to receive",
	trace.OpSelect: "waits in select", trace.OpCondWait: "waits for a signal",
	trace.OpWGWait: "waits for a WaitGroup", trace.OpOnce: "waits for Once.Do",
	trace.OpSleep: "sleeps", trace.OpModel: "waits in a monitor", trace.OpAcquire: "waits for a semaphore",
	trace.OpPacketRecv: "waits for a packet", trace.OpNative: "waits for a socket, a pipe or a process",
}

// blockedFinding is a deadlock or livelock: no goroutine can go on and the test is not over.
func (j *Judge) blockedFinding(x *Execution, kind string) *wire.Finding {
	left := x.Remains.Left
	f := &wire.Finding{Kind: kind, Output: string(x.Output)}
	for _, l := range left {
		f.Stacks = append(f.Stacks, j.leftStack(x, l))
		f.Places = append(f.Places, j.leftPlace(x, l))
	}
	switch {
	case x.Outside:
		f.Kind = Uncontrolled
		f.Message = "the test waits for what is not under control, and nothing came within eight seconds: " + j.Outsiders()
	case kind == Livelock:
		f.Message = "goroutines keep asking for something that no goroutine is left to change"
	default:
		f.Message = fmt.Sprintf("all %d goroutines that are left wait for each other; none can ever go on", len(left))
		if len(left) == 1 {
			f.Message = "the only goroutine left waits for something that no goroutine can do any more"
		}
	}
	return f
}

// leakFinding is what the test left blocked for good: a leak, or a partial
// deadlock where goroutines wait for each other's locks.
func (j *Judge) leakFinding(x *Execution) *wire.Finding {
	var bad, lives []remains.Goroutine
	cyclic, open := false, false
	for _, l := range x.Remains.Left {
		switch {
		case l.Alive:
			lives = append(lives, l)
			continue
		case j.connectionWait(l) != "":
			open = true
			continue
		case l.State == remains.Blocked:
			// A lock that a goroutine of this execution holds concerns this execution, however old
			// the lock is.
			if !l.Made && len(l.Holders) == 0 && !inCycle(x, l) {
				continue
			}
			cyclic = cyclic || inCycle(x, l)
		case l.State != remains.Parked, l.Old, l.Served:
			continue
		}
		bad = append(bad, l)
	}
	j.tellLives(x, lives)
	j.tellUnstopped(x)
	if open {
		j.notLeaks(func() string {
			return "goroutines wait at connections or pipes that are open when the test is over, which are not called leaks, nor what net/http and others keep for them"
		})
		bad = slices.DeleteFunc(bad, j.onlyStandard)
	}
	if len(bad) == 0 {
		return nil
	}
	if !cyclic && x.Outsiders {
		j.notLeaks(func() string {
			text := "goroutines are left blocked when the test is over, which are not called leaks: goroutines outside control may still let them go on"
			if who := j.Starters(); len(who) > 0 {
				text += ", started by " + strings.Join(who, ", ")
			}
			return text
		})
		return nil
	}
	f := &wire.Finding{Kind: Leak, Output: string(x.Output)}
	if cyclic {
		f.Kind = Deadlock
	}
	for _, l := range bad {
		f.Stacks = append(f.Stacks, j.leftStack(x, l))
		f.Places = append(f.Places, j.leftPlace(x, l))
	}
	switch {
	case cyclic && len(bad) == 1:
		f.Message = "a goroutine waits for a lock that it holds itself; the test is over and it can never go on"
	case cyclic:
		f.Message = "goroutines wait for each other's locks; the test is over and they can never go on"
	case len(bad) == 1:
		f.Message = "a goroutine is still blocked when the test is over, and no goroutine is left that could let it go on"
	default:
		f.Message = fmt.Sprintf("%d goroutines are still blocked when the test is over, and no goroutine is left that could let them go on", len(bad))
	}
	return f
}

// tellLives says, once a test, which goroutines go on after it: they are not blocked for good, and
// so no leaks.
func (j *Judge) tellLives(x *Execution, lives []remains.Goroutine) {
	if len(lives) == 0 || j.lively || x.LateWakes == 0 { // what has not been tried may be about to end
		return
	}
	j.lively = true
	var parts []string
	for _, l := range lives[:min(len(lives), mostLives)] {
		st := j.leftStack(x, l)
		p := j.userFrame(st.Frames)
		parts = append(parts, fmt.Sprintf("%s (%s:%d) %s", st.Goroutine, Base(p.File), p.Line, st.State))
	}
	if n := len(lives) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	j.Note("goroutines live on when the test is over, by timers that nothing stops; they are not blocked for good, so heddle does not call them leaks (goleak would): " + strings.Join(parts, ", "))
}

// tellUnstopped says, once a test, which iterators of iter.Pull are left in their middle.
func (j *Judge) tellUnstopped(x *Execution) {
	pcs := x.Unstopped
	if len(pcs) == 0 || j.unstopped {
		return
	}
	j.unstopped = true
	var parts []string
	for _, pc := range pcs {
		p := j.Resolve(trace.PCSite(pc))
		parts = append(parts, fmt.Sprintf("%s:%d", Base(p.File), p.Line))
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	if n := len(parts) - mostLives; n > 0 {
		parts = append(parts[:mostLives], fmt.Sprintf("and %d more", n))
	}
	j.Note("iter.Pull is left in the middle when the test is over, and its goroutine with it: call stop; it is not blocked, so heddle does not call it a leak (goleak would): " + strings.Join(parts, ", "))
}

// mostLives bounds what such a note names.
const mostLives = 3

// notLeaks says, once a test, why a goroutine that is left blocked is not called a leak.
func (j *Judge) notLeaks(why func() string) {
	if !j.leaky {
		j.leaky = true
		j.Note(why())
	}
}

// onlyStandard reports whether a goroutine runs nothing but the standard library.
func (j *Judge) onlyStandard(l remains.Goroutine) bool {
	for _, f := range j.Frames(l.Stack) {
		if !j.Standard(f.File) {
			return false
		}
	}
	return true
}

// inCycle reports whether l waits, through other goroutines that are left, for itself.
func inCycle(x *Execution, l remains.Goroutine) bool {
	byG := make(map[trace.GID]remains.Goroutine)
	for _, m := range x.Remains.Left {
		byG[m.G] = m
	}
	seen := make(map[trace.GID]bool)
	var visit func(g trace.GID) bool
	visit = func(g trace.GID) bool {
		if g == l.G && len(seen) > 0 {
			return true
		}
		if seen[g] {
			return false
		}
		seen[g] = true
		m, ok := byG[g]
		if !ok || m.State != remains.Blocked {
			return false
		}
		for _, h := range m.Holders {
			if visit(h) {
				return true
			}
		}
		return false
	}
	return visit(l.G)
}

func (j *Judge) leftPlace(x *Execution, l remains.Goroutine) wire.Place {
	st := j.Frames(l.Stack)
	p := j.place(x, l.Pending.Site, l.Pending.Op.String(), l.G)
	if p.Site == 0 || l.Pending.Site.Quiet() {
		u := j.userFrame(st)
		if u.File != "" {
			p.File, p.Line, p.Func, p.Site = u.File, u.Line, u.Func, 0
		}
	}
	if len(l.Holders) > 0 {
		names := make([]string, len(l.Holders))
		for i, h := range l.Holders {
			names[i] = x.Name(h)
		}
		p.Note = "held by " + strings.Join(names, ", ")
		if l.Wanted {
			p.Note = "wanted by " + names[0]
		}
	}
	return p
}

// connectionWords say what a goroutine waits for in a connection or pipe.
var connectionWords = map[string]string{
	"internal/poll.(*heddleEnd).read":        "waits to read from a connection or pipe",
	"internal/poll.(*heddleEnd).write":       "waits to write to a connection or pipe",
	"internal/poll.(*heddleListener).accept": "waits for a connection",
}

// connectionWait says what l waits for, if that is a connection or pipe.
func (j *Judge) connectionWait(l remains.Goroutine) string {
	return connectionWords[j.within(l.Stack,
		func(function string) bool { return connectionWords[function] != "" })]
}

// within returns the innermost function of a stack for which is holds, "" if there is none.
func (j *Judge) within(stack []uintptr, is func(function string) bool) string {
	for f := range j.Functions(stack) {
		if is(f) {
			return f
		}
	}
	return ""
}

func (j *Judge) leftStack(x *Execution, l remains.Goroutine) wire.Stack {
	state := stateWords[l.Pending.Op]
	if c := j.connectionWait(l); c != "" {
		state = c
	}
	if state == "" {
		state = "at " + l.Pending.Op.String()
	}
	return j.stack(x, l.G, l.Stack, state)
}
