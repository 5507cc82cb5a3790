package drive

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"

	"heddle/rt/sched"
	"heddle/rt/wire"
	"heddle/trace"
)

// Kinds of findings, as section 7 of the design spells them.
const (
	kindRace         = "data race"
	kindDeadlock     = "deadlock"
	kindLeak         = "leak"
	kindPanic        = "panic"
	kindFailure      = "test failure"
	kindMisuse       = "misuse"
	kindLivelock     = "livelock"
	kindUncontrolled = "uncontrolled"
)

// findings returns what is wrong in the execution just made, but for data races that known, if not nil, reports.
func (x *local) findings(t *trace.Trace, known func(key string) bool) []wire.Found {
	fs := x.wrong(t, known)
	if len(sched.S.Early()) > 0 && !x.outcome.Failed && t.Verdict != trace.Panicked {
		for i := range fs {
			fs[i].Finding.Early = x.earlyTimers()
		}
	}
	return fs
}

// testFailed reports whether the last execution failed the test, or ended it by a panic that is not heddle's to judge.
func (x *local) testFailed(t *trace.Trace) bool {
	f := sched.S.Failure()
	return x.outcome.Failed || t.Verdict == trace.Panicked && f != nil && f.Kind != sched.FailMisuse || x.panicking(t)
}

// panicking reports whether a goroutine of the last execution is held up in what it had deferred when it panicked.
func (x *local) panicking(t *trace.Trace) bool {
	if t.Verdict == trace.Finished && sched.S.Deadlock() == nil {
		return false
	}
	for _, l := range sched.S.Leftover() {
		if within(l.Stack, func(function string) bool { return function == "runtime.gopanic" }) != "" {
			return true
		}
	}
	return false
}

// ranOut reports whether a time-out of the last execution may have come since heddle is slower than the program.
func (x *local) ranOut() bool { return sched.S.RanOut() && !x.early }

func (x *local) wrong(t *trace.Trace, known func(key string) bool) []wire.Found {
	var fs []wire.Found
	add := func(f *wire.Finding) { fs = append(fs, wire.Found{Key: KeyOf(f), Finding: f}) }
	o := &x.outcome
	early := len(sched.S.Early()) > 0 && !x.early
	if (early || x.ranOut()) && x.testFailed(t) {
		// A timer that fired early, or where heddle's slowness may be why, made the test itself
		// fail: that is what time-outs in tests are for, so the execution says nothing.
		return nil
	}
	outside := sched.S.Outside()
	if !outside { // whose order with the others is not known
		races := sched.S.Races()
		for i := range races {
			r := &races[i]
			if r.Known {
				continue
			}
			add(x.raceFinding(t, r))
			if known != nil && r.Misuse == sched.MisuseNone && known(fs[len(fs)-1].Key) {
				x.known.Add(r)
			}
		}
	}
	if d := sched.S.Deadlock(); d != nil && !outside {
		// What the test says about it, a time-out mostly, is a consequence.
		add(x.deadlockFinding(t, d))
		fs[len(fs)-1].Steps = d.Steps
		return fs
	}
	switch t.Verdict {
	case trace.Panicked:
		for _, f := range sched.S.Failures() {
			add(x.failureFinding(t, f))
		}
		return fs
	case trace.Deadlocked:
		add(x.blockedFinding(t, kindDeadlock))
		return fs
	case trace.Livelocked:
		if !sched.S.PolledUnseen() {
			add(x.blockedFinding(t, kindLivelock))
		}
		return fs
	case trace.TimedOut:
		if !outside {
			add(x.timeoutFinding(t))
			fs[len(fs)-1].Steps = lastOfWaiting(t)
		}
		return fs
	case trace.Bounded, trace.Crowded, trace.Expired, trace.Filled, trace.Diverged, trace.Aborted:
		return fs
	}
	if sched.S.Exited() {
		return fs // what is left behind goes with the process
	}
	if o.Failed {
		if sched.S.Measured() {
			return fs // heddle's own memory may be why
		}
		add(x.testFailure(t))
		return fs // what a failed test leaves behind is not blamed
	}
	if !outside {
		if f := x.leakFinding(t); f != nil {
			add(f)
		}
	}
	return fs
}

// earlyTimers says which timers fired early.
func (x *local) earlyTimers() string {
	var parts []string
	for _, t := range sched.S.Early() {
		p := resolve(t.Site)
		if len(t.Origin) > 0 { // context.WithTimeout is called by the program
			p = x.userFrame(x.frames(t.Origin))
		}
		parts = append(parts, fmt.Sprintf("the timer of %s:%d fired %s early", base(p.File), p.Line, duration(t.By)))
	}
	parts = slices.Compact(parts)
	return strings.Join(parts[:min(len(parts), mostEarly)], "; ")
}

// mostEarly bounds the early timers that a finding names.
const mostEarly = 3

// KeyOf names the bug that a finding is about: kind and source places, whatever the goroutines were called.
func KeyOf(f *wire.Finding) string {
	ps := make([]string, 0, len(f.Places))
	places := f.CorePlaces()
	victims := 0
	for _, p := range places {
		if p.Note != "" {
			victims++
		}
	}
	for _, p := range places {
		if f.Kind == kindDeadlock && p.Note != "" && victims < len(places) {
			// Who waits for a lock that somebody who is stuck elsewhere holds says nothing about the bug.
			continue
		}
		if p.Site != 0 {
			// A clip's places have no display bits.
			ps = append(ps, fmt.Sprintf("%s@%x", p.Op, uint64(trace.Site(p.Site).Plain())))
		} else {
			// A clip names files from the folder of the package on.
			ps = append(ps, fmt.Sprintf("%s@%s:%d", p.Op, base(p.File), p.Line))
		}
	}
	sort.Strings(ps)
	if f.Kind == kindLeak || f.Kind == kindDeadlock {
		// The same place many times over is one bug.
		ps = compact(ps)
	}
	return f.Kind + " " + strings.Join(ps, " ")
}

func compact(s []string) []string {
	out := s[:0]
	for i, x := range s {
		if i == 0 || x != s[i-1] {
			out = append(out, x)
		}
	}
	return out
}

func (x *local) raceFinding(t *trace.Trace, r *sched.Race) *wire.Finding {
	switch r.Misuse {
	case sched.MisuseWait:
		return x.unordered(t, r, "wg-add", "wg-wait", "WaitGroup.Add from zero is not ordered with a call of Wait: Wait may return too early")
	case sched.MisuseClose:
		return x.unordered(t, r, "close", "send", "a send is not ordered with the close of its channel: it may panic")
	}
	now, before := "read", "read"
	if r.Write {
		now = "write"
	}
	if r.PrevWrite {
		before = "write"
	}
	if r.Race.Atomic {
		now = "atomic " + now
	}
	if r.PrevAtomic {
		before = "atomic " + before
	}
	f := &wire.Finding{
		Kind:   kindRace,
		Quiet:  r.At.Quiet() || r.Prev.Quiet(),
		Places: []wire.Place{place(t, r.At, now, r.G), place(t, r.Prev, before, r.PrevG)},
		Stacks: []wire.Stack{x.stack(t, r.G, r.Stack, now)},
	}
	if r.PrevStack != nil {
		f.Stacks = append(f.Stacks, x.stack(t, r.PrevG, r.PrevStack, before))
	}
	return f
}

// unordered is the finding for two operations in no order.
func (x *local) unordered(t *trace.Trace, r *sched.Race, now, before, message string) *wire.Finding {
	if r.PrevWrite {
		now, before = before, now
	}
	return &wire.Finding{
		Kind: kindMisuse, Message: message,
		Places: []wire.Place{place(t, r.At, now, r.G), place(t, r.Prev, before, r.PrevG)},
		Stacks: []wire.Stack{x.stack(t, r.G, r.Stack, "running")},
	}
}

// misusePanics are panics of the runtime and of sync that say that an object was misused.
var misusePanics = []string{
	"send on closed channel", "close of closed channel", "close of nil channel",
	"sync: negative WaitGroup counter", "sync: WaitGroup misuse", "sync: WaitGroup is reused", "sync: Unlock of unlocked", "sync: unlock of unlocked", "sync: RUnlock of unlocked",
}

// failedOp is what the program was about to do, as far as the message says.
func failedOp(kind, msg string) string {
	for _, m := range []struct {
		part string
		op   trace.Op
	}{
		{"send on closed", trace.OpSend}, {"close of", trace.OpClose}, {"WaitGroup", trace.OpWGAdd},
		{"RUnlock of", trace.OpRUnlock}, {"nlock of", trace.OpUnlock},
	} {
		if kind == kindMisuse && strings.Contains(msg, m.part) {
			return m.op.String()
		}
	}
	return kind
}

func (x *local) failureFinding(t *trace.Trace, f *sched.Failure) *wire.Finding {
	if f == nil {
		return &wire.Finding{Kind: kindPanic, Message: "the execution ended without a reason"}
	}
	msg, kind := f.Message, kindMisuse
	if f.Kind == sched.FailExit {
		kind = kindPanic
		if x.t.Kind == "main" {
			kind = kindFailure
		}
	}
	if f.Kind == sched.FailPanic {
		msg, kind = panicText(f.Value), kindPanic
		for _, m := range misusePanics {
			if strings.HasPrefix(msg, m) {
				kind = kindMisuse
			}
		}
	}
	st := x.stack(t, f.G, f.Stack, "running")
	p := x.userFrame(st.Frames)
	p.Op, p.Goroutine = failedOp(kind, msg), t.Name(f.G)
	if f.Kind == sched.FailExit {
		p.Op = exitOp
	}
	fd := &wire.Finding{Kind: kind, Message: msg, Places: []wire.Place{p}, Stacks: []wire.Stack{st}, Output: string(x.outcome.Output)}
	return fd
}

// exitOp is what is said to have been done where the test ended its process.
const exitOp = "exit"

func panicText(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T (its text could not be printed)", v)
		}
	}()
	switch v := v.(type) {
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case string:
		return v
	}
	return fmt.Sprintf("%v", v)
}

// stateWords say what a goroutine waits for, by its pending operation.
var stateWords = map[trace.Op]string{
	trace.OpLock: "waits to lock", trace.OpArrive: "waits to lock", trace.OpRLock: "waits to lock for reading", trace.OpSend: "waits to send", trace.OpRecv: "waits to receive",
	trace.OpSelect: "waits in select", trace.OpCondWait: "waits for a signal", trace.OpWGWait: "waits for a WaitGroup", trace.OpOnce: "waits for Once.Do",
	trace.OpSleep: "sleeps", trace.OpModel: "waits in a monitor", trace.OpAcquire: "waits for a semaphore", trace.OpPacketRecv: "waits for a packet", trace.OpNative: "waits for a socket, a pipe or a process",
}

// blockedFinding is a deadlock or livelock: nobody can go on and the test is not over.
func (x *local) blockedFinding(t *trace.Trace, kind string) *wire.Finding {
	left := sched.S.Leftover()
	f := &wire.Finding{Kind: kind, Output: string(x.outcome.Output)}
	for _, l := range left {
		f.Stacks = append(f.Stacks, x.leftStack(t, l))
		f.Places = append(f.Places, x.leftPlace(t, l))
	}
	switch {
	case sched.S.Outside():
		f.Kind = kindUncontrolled
		f.Message = "the test waits for what is not under control, and nothing came within eight seconds: " + x.outsiders()
	case kind == kindLivelock:
		f.Message = "goroutines keep asking for something that nobody is left to change"
	default:
		f.Message = fmt.Sprintf("all %d goroutines that are left wait for each other; none can ever go on", len(left))
		if len(left) == 1 {
			f.Message = "the only goroutine left waits for something that nobody can do any more"
		}
	}
	return f
}

// leakFinding is what the test left blocked for good: a leak, or a partial
// deadlock where goroutines wait for each other's locks.
func (x *local) leakFinding(t *trace.Trace) *wire.Finding {
	var bad, lives []sched.Left
	cyclic, open := false, false
	for _, l := range sched.S.Leftover() {
		switch {
		case l.Alive:
			lives = append(lives, l)
			continue
		case connectionWait(l) != "":
			open = true
			continue
		case l.State == sched.LeftBlocked:
			// A lock that somebody of this execution holds is this execution's business, however old it is.
			if !sched.S.MadeHere(l.Pending.Obj) && len(l.Holders) == 0 && !x.inCycle(l) {
				continue
			}
			cyclic = cyclic || x.inCycle(l)
		case l.State != sched.LeftParked, l.Old, sched.S.ServedByTimer(l.G):
			continue
		}
		bad = append(bad, l)
	}
	x.tellLives(t, lives)
	x.tellUnstopped()
	if open {
		x.notLeaks(func() string {
			return "goroutines wait at connections or pipes that are open when the test is over, which are not called leaks, nor what net/http and others keep for them"
		})
		bad = slices.DeleteFunc(bad, x.onlyStandard)
	}
	if len(bad) == 0 {
		return nil
	}
	if !cyclic && sched.S.Outsiders() > 0 {
		x.notLeaks(func() string {
			x.seeStrangers()
			text := "goroutines are left blocked when the test is over, which are not called leaks: goroutines outside control may still let them go on"
			if len(x.who) > 0 {
				text += ", started by " + strings.Join(x.who, ", ")
			}
			return text
		})
		return nil
	}
	f := &wire.Finding{Kind: kindLeak, Output: string(x.outcome.Output)}
	if cyclic {
		f.Kind = kindDeadlock
	}
	for _, l := range bad {
		f.Stacks = append(f.Stacks, x.leftStack(t, l))
		f.Places = append(f.Places, x.leftPlace(t, l))
	}
	switch {
	case cyclic && len(bad) == 1:
		f.Message = "a goroutine waits for a lock that it holds itself; the test is over and it can never go on"
	case cyclic:
		f.Message = "goroutines wait for each other's locks; the test is over and they can never go on"
	case len(bad) == 1:
		f.Message = "a goroutine is still blocked when the test is over, and nobody is left who could let it go on"
	default:
		f.Message = fmt.Sprintf("%d goroutines are still blocked when the test is over, and nobody is left who could let them go on", len(bad))
	}
	return f
}

// tellLives says, once a test, which goroutines go on after it: they are not blocked for good, and so no leaks.
func (x *local) tellLives(t *trace.Trace, lives []sched.Left) {
	if len(lives) == 0 || x.lively || sched.S.LateWakes() == 0 { // what has not been tried may be about to end
		return
	}
	x.lively = true
	var parts []string
	for _, l := range lives[:min(len(lives), mostLives)] {
		st := x.leftStack(t, l)
		p := x.userFrame(st.Frames)
		parts = append(parts, fmt.Sprintf("%s (%s:%d) %s", st.Goroutine, base(p.File), p.Line, st.State))
	}
	if n := len(lives) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	x.d.send(&wire.Record{Type: "note", Test: x.t.Name, Text: "goroutines live on when the test is over, by timers that nothing stops; they are not blocked for good, so heddle does not call them leaks (goleak would): " + strings.Join(parts, ", ")})
}

// tellUnstopped says, once a test, which iterators of iter.Pull are left in their middle.
func (x *local) tellUnstopped() {
	pcs := sched.S.Unstopped()
	if len(pcs) == 0 || x.unstopped {
		return
	}
	x.unstopped = true
	var parts []string
	for _, pc := range pcs {
		p := resolve(trace.PCSite(pc))
		parts = append(parts, fmt.Sprintf("%s:%d", base(p.File), p.Line))
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	if n := len(parts) - mostLives; n > 0 {
		parts = append(parts[:mostLives], fmt.Sprintf("and %d more", n))
	}
	x.d.send(&wire.Record{Type: "note", Test: x.t.Name, Text: "iter.Pull is left in the middle when the test is over, and its goroutine with it: call stop; it is not blocked, so heddle does not call it a leak (goleak would): " + strings.Join(parts, ", ")})
}

// mostLives bounds what such a note names.
const mostLives = 3

// notLeaks says, once a test, why a goroutine that is left blocked is not called a leak.
func (x *local) notLeaks(why func() string) {
	if !x.leaky {
		x.leaky = true
		x.d.send(&wire.Record{Type: "note", Test: x.t.Name, Text: why()})
	}
}

// onlyStandard reports whether a goroutine runs nothing but the standard library.
func (x *local) onlyStandard(l sched.Left) bool {
	for _, f := range x.frames(l.Stack) {
		if !sched.Standard(f.File) {
			return false
		}
	}
	return true
}

// inCycle reports whether l waits, through others who are left, for itself.
func (x *local) inCycle(l sched.Left) bool {
	byG := make(map[trace.GID]sched.Left)
	for _, m := range sched.S.Leftover() {
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
		if !ok || m.State != sched.LeftBlocked {
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

func (x *local) leftPlace(t *trace.Trace, l sched.Left) wire.Place {
	st := x.frames(l.Stack)
	p := place(t, l.Pending.Site, l.Pending.Op.String(), l.G)
	if p.Site == 0 || l.Pending.Site.Quiet() {
		u := x.userFrame(st)
		if u.File != "" {
			p.File, p.Line, p.Func, p.Site = u.File, u.Line, u.Func, 0
		}
	}
	if len(l.Holders) > 0 {
		names := make([]string, len(l.Holders))
		for i, h := range l.Holders {
			names[i] = t.Name(h)
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
func connectionWait(l sched.Left) string {
	return connectionWords[within(l.Stack, func(function string) bool { return connectionWords[function] != "" })]
}

// within returns the innermost function of a stack for which is holds, "" if there is none.
func within(stack []uintptr, is func(function string) bool) string {
	fs := runtime.CallersFrames(stack)
	for more := len(stack) > 0; more; {
		var f runtime.Frame
		if f, more = fs.Next(); is(f.Function) {
			return f.Function
		}
	}
	return ""
}

func (x *local) leftStack(t *trace.Trace, l sched.Left) wire.Stack {
	state := stateWords[l.Pending.Op]
	if c := connectionWait(l); c != "" {
		state = c
	}
	if state == "" {
		state = "at " + l.Pending.Op.String()
	}
	return x.stack(t, l.G, l.Stack, state)
}

// logLine is where a line of a test's log says it comes from.
var logLine = regexp.MustCompile(`(?m)^\s+([^\s:]+\.go):(\d+): (.*)$`)

// testFailure is a test that says that it fails. Its place is where the line of
// its log stands that says why, or else where it called Fail.
func (x *local) testFailure(t *trace.Trace) *wire.Finding {
	o := &x.outcome
	f := &wire.Finding{Kind: kindFailure, Output: string(o.Output), Message: "the test fails"}
	if x.t.Kind == "example" {
		f.Message = "the example does not print what it should"
	}
	if o.stack == nil {
		return f
	}
	st := x.stack(t, o.failed, o.stack, "fails")
	st.Frames = x.withoutTesting(st.Frames)
	f.Stacks = []wire.Stack{st}
	p := x.userFrame(st.Frames)
	if i, text := reason(o.Output, st.Frames); i >= 0 {
		p, f.Message = st.Frames[i], text
	}
	p.Op, p.Goroutine = "fails", st.Goroutine
	f.Places = []wire.Place{p}
	return f
}

// reason returns the first line of a test's log that was written where one of
// the frames of its failure stands, and which frame; -1 if there is none.
func reason(output []byte, frames []wire.Place) (frame int, text string) {
	logged := logLine.FindAllSubmatchIndex(output, -1)
	for n, m := range logged {
		file := string(output[m[2]:m[3]])
		line, _ := strconv.Atoi(string(output[m[4]:m[5]]))
		i := slices.IndexFunc(frames, func(p wire.Place) bool { return p.Line == line && base(p.File) == file })
		if i < 0 {
			continue
		}
		if text = strings.TrimSpace(string(output[m[6]:m[7]])); text == "" { // packages of assertions begin on the next line
			end := len(output)
			if n+1 < len(logged) {
				end = logged[n+1][0]
			}
			if e := errorLine.FindSubmatch(output[m[7]:end]); e != nil {
				text = strings.TrimSpace(string(e[1]))
				if len(e[2]) > 0 {
					text += fmt.Sprintf(" expected %s, actual %s", e[2], e[3])
				}
			}
		}
		return i, text
	}
	return -1, ""
}

// errorLine is where testify says what is wrong.
var errorLine = regexp.MustCompile(`(?m)^\s+Error:(.*)$(?:\n\s+expected *: *(.*)\n\s+actual *: *(.*)$)?`)

// withoutTesting leaves out the frames of t.Errorf and what it calls.
func (x *local) withoutTesting(frames []wire.Place) []wire.Place {
	for len(frames) > 1 && strings.HasPrefix(frames[0].Func, "testing.") {
		frames = frames[1:]
	}
	return frames
}

// Places and stacks.

// place makes a Place of a site.
func place(t *trace.Trace, s trace.Site, op string, g trace.GID) wire.Place {
	p := resolve(s)
	p.Op, p.Goroutine = op, t.Name(g)
	return p
}

// resolve looks a program counter up; instrumented sites are looked up by the command.
func resolve(s trace.Site) wire.Place {
	if s = s.Loud(); s == 0 {
		return wire.Place{}
	}
	pc := s.PC()
	if pc == 0 {
		return wire.Place{Site: uint64(s)}
	}
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	p := wire.Place{File: f.File, Line: f.Line, Func: f.Function}
	if s.Connection() {
		p.Object = "connection"
	}
	if s.File() {
		p.Object = "file"
	}
	return p
}

// frames resolves a stack, innermost first, as the program would see it:
// without the scheduler's frames and heddle's parts of the standard library,
// without what ran because of a panic, and without what called the test.
func (x *local) frames(pcs []uintptr) []wire.Place {
	var out []wire.Place
	if len(pcs) == 0 {
		return nil
	}
	fs := runtime.CallersFrames(pcs)
	for more := true; more; {
		var f runtime.Frame
		f, more = fs.Next()
		pkg := sched.PackageOf(f.Function)
		switch {
		case f.Function == "runtime.gopanic":
			out = out[:0] // what came so far are deferred calls that the panic ran
			continue
		case f.Function == "testing.tRunner" || f.Function == "testing.fRunner":
			return out
		case sched.Internal(pkg), f.Function == "", f.File == "<autogenerated>",
			f.Function == "runtime.goexit", f.Function == "runtime.corostart",
			(x.d.goroot == "" || sched.Standard(f.File)) && base(f.File) == "heddle.go", sched.Loopback(f.File):
			continue
		}
		out = append(out, wire.Place{File: f.File, Line: f.Line, Func: f.Function})
	}
	return out
}

func (x *local) stack(t *trace.Trace, g trace.GID, pcs []uintptr, state string) wire.Stack {
	st := wire.Stack{Goroutine: t.Name(g), State: state, Frames: x.frames(pcs), Start: x.origin(t, g)}
	if g >= 0 && int(g) < len(t.Goroutines) {
		st.Site = uint64(t.Goroutines[g].Site)
	}
	return st
}

// origin returns the stack of the go statement that started g. Where that is the standard library's alone (a connection of
// net/http) that of who started its starter follows, and so on until the program's own code is reached.
func (x *local) origin(t *trace.Trace, g trace.GID) []wire.Place {
	var fs []wire.Place
	for n := 0; n < mostStarters && g > 0 && int(g) < len(t.Goroutines); n++ {
		fs = append(fs, x.frames(sched.S.Origin(g))...)
		if p := x.userFrame(fs); p.File != "" && !sched.Standard(p.File) {
			break
		}
		g = t.Goroutines[g].Parent
	}
	return fs
}

// mostStarters bounds how far back origin looks.
const mostStarters = 20

// userFrame returns the first frame that is not the standard library's.
func (x *local) userFrame(fs []wire.Place) wire.Place {
	for _, f := range fs {
		if !sched.Standard(f.File) {
			return f
		}
	}
	if len(fs) > 0 {
		return fs[0]
	}
	return wire.Place{}
}

func base(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[i+1:]
	}
	return path
}
