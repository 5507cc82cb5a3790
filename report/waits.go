package report

import (
	"fmt"
	"slices"
	"strings"

	"heddle/model"
	"heddle/rt/wire"
	"heddle/trace"
)

// What the goroutines of a deadlock or a leak wait for, and the hints that follow.

// waitHint returns the hint for a deadlock or a leak by what is waited for, or "".
func waitHint(f *wire.Finding) string {
	if slices.ContainsFunc(f.Stacks,
		func(st wire.Stack) bool { return strings.Contains(st.State, " connection") }) &&
		f.Kind == "deadlock" {
		return "make sure that one end writes what the other reads, or closes the connection"
	}
	if cycle := lockCycle(f); len(cycle) > 0 {
		return lockHint(f, cycle)
	}
	if f.Kind == "leak" && slices.ContainsFunc(f.Stacks, readsResponse) {
		return "close the body of every response: the goroutines of its connection wait until it is read to its end or closed"
	}
	var hints []string
	said := []string{"wg-wait"}
	waits := func(hint string, ops ...string) {
		said = append(said, ops...)
		if slices.ContainsFunc(f.Places,
			func(p wire.Place) bool { return holders(p) == nil && slices.Contains(ops, p.Op) }) {
			hints = append(hints, hint)
		}
	}
	waits("a signal before the Wait is lost: hold the Cond's lock to change the condition and to signal, and call Wait in a loop that checks the condition", "cond-wait")
	if f.Kind == "leak" {
		waits("give the goroutine a way to end: close its channel, cancel its context, or make room in the channel it sends to", "send", "recv", "select")
	} else {
		waits("make sure that every send has a receiver, and every receive a send or a close", "send", "recv", "select")
	}
	waits("find the goroutine that holds the lock: it must unlock on every path, for example with defer", lockOps...)
	for _, p := range f.Places {
		if op, _ := trace.ParseOp(p.Op); !slices.Contains(said, p.Op) && !awaitsSection(p.Op) &&
			len(model.HelpersOf(op)) > 0 {
			waits(fmt.Sprintf("make sure that every %s has its %s", verb(p.Op),
				verb(model.HelpersOf(op)[0].String())), p.Op)
		}
	}
	waitGroups := "make sure that every Add has its Done, on every path"
	if len(hints) == 0 { // a goroutine that only waits for the others of the finding is not the cause
		waits(waitGroups, "wg-wait")
	}
	if len(hints) > 0 &&
		slices.ContainsFunc(f.Places,
			func(p wire.Place) bool { return awaitsSection(p.Op) && holders(p) != nil }) {
		hints = append(hints, "a goroutine that waits while it holds a lock blocks all others that lock it")
	}
	return strings.Join(hints, "; ")
}

// readsResponse reports whether a goroutine of net/http reads responses from a connection. If it
// waits, but not for the connection, it waits for the program to read or close a response's body.
func readsResponse(st wire.Stack) bool {
	return slices.ContainsFunc(st.Frames,
		func(p wire.Place) bool { return p.Func == "net/http.(*persistConn).readLoop" })
}

// awaitsSection reports whether op waits until another goroutine leaves a critical section.
func awaitsSection(op string) bool {
	o, _ := trace.ParseOp(op)
	return model.AwaitsSection(o)
}

// lockOps are the operations that wait for a lock. Once.Do is not among them: only the first call
// enters the critical section.
var lockOps = func() (ops []string) {
	for op := range trace.OpMax {
		if _, certain := model.SectionOfOp(op); certain && model.AwaitsSection(op) {
			ops = append(ops, op.String())
		}
	}
	return ops
}()

// lockHint returns the hint for a cycle of goroutines that wait for each other's locks.
func lockHint(f *wire.Finding, cycle []wire.Place) string {
	switch {
	case len(cycle) == 1 && cycle[0].Op == "once":
		return "a function that Once.Do runs must not call Do of the same Once"
	case len(cycle) == 2 &&
		slices.ContainsFunc(cycle,
			func(p wire.Place) bool { return strings.HasPrefix(p.Note, "wanted by ") }):
		// A writer waits for one lock only: the one that the other goroutine holds and wants
		// again.
		return "do not take a read lock twice: a writer that waits in between keeps the second one out"
	case len(cycle) == 1:
		return "a lock cannot be taken twice: a function that is called with the lock held must not take it"
	}
	return "take locks in one order everywhere"
}

// holders returns the goroutines that hold the lock that p waits for, or that want to write and so
// block p; nil if p waits for something else.
func holders(p wire.Place) []string {
	for _, word := range []string{"held by ", "wanted by "} {
		if names, ok := strings.CutPrefix(p.Note, word); ok {
			return strings.Split(names, ", ")
		}
	}
	return nil
}

// lockCycle returns, in the finding's order, the places of the goroutines that wait for themselves
// through each other's locks, or nil.
func lockCycle(f *wire.Finding) []wire.Place {
	if f.Kind != "deadlock" {
		return nil
	}
	byName := map[string]wire.Place{}
	for _, p := range f.Places {
		byName[p.Goroutine] = p
	}
	var cycle []wire.Place
	for _, p := range f.Places {
		if waitsFor(byName, p.Goroutine, p.Goroutine, map[string]bool{}) {
			cycle = append(cycle, p)
		}
	}
	return cycle
}

// waitsFor reports whether from waits for to, directly or through other goroutines.
func waitsFor(byName map[string]wire.Place, from, to string, seen map[string]bool) bool {
	for _, h := range holders(byName[from]) {
		if h == to {
			return true
		}
		if !seen[h] {
			seen[h] = true
			if waitsFor(byName, h, to, seen) {
				return true
			}
		}
	}
	return false
}
