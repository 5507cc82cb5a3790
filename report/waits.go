package report

import (
	"fmt"
	"slices"
	"strings"

	"heddle/model"
	"heddle/rt/wire"
	"heddle/trace"
)

// What goroutines of a deadlock or a leak wait for, and what to look at because of that.

// waitHint is the hint for a deadlock or a leak, by what is waited for; "" where nothing of it is known.
func waitHint(f *wire.Finding) string {
	if slices.ContainsFunc(f.Stacks, func(st wire.Stack) bool { return strings.Contains(st.State, " connection") }) && f.Kind == "deadlock" {
		return "make sure that somebody writes what is read, and reads what is written, or closes the connection"
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
		if slices.ContainsFunc(f.Places, func(p wire.Place) bool { return holders(p) == nil && slices.Contains(ops, p.Op) }) {
			hints = append(hints, hint)
		}
	}
	waits("a signal that comes before its Wait is lost: change what is waited for, and signal, with the Cond's lock held, and let Wait stand in a loop that looks at it", "cond-wait")
	if f.Kind == "leak" {
		waits("give the goroutine a way to end: close its channel, cancel its context, or make room in the channel it sends to", "send", "recv", "select")
	} else {
		waits("make sure that every send has a receiver, and every receive a send or a close", "send", "recv", "select")
	}
	waits("see who holds that lock: whoever takes one must give it back on every way out, as a defer does", lockOps...)
	for _, p := range f.Places {
		if op, _ := trace.ParseOp(p.Op); !slices.Contains(said, p.Op) && !awaitsSection(p.Op) && len(model.HelpersOf(op)) > 0 {
			waits(fmt.Sprintf("make sure that every %s has its %s", verb(p.Op), verb(model.HelpersOf(op)[0].String())), p.Op)
		}
	}
	waitGroups := "make sure that every Add has its Done, on every way out"
	if len(hints) == 0 { // who waits for the others of the finding is not why they wait
		waits(waitGroups, "wg-wait")
	}
	if len(hints) > 0 && slices.ContainsFunc(f.Places, func(p wire.Place) bool { return awaitsSection(p.Op) && holders(p) != nil }) {
		hints = append(hints, "who waits with a lock held keeps out those who take it")
	}
	return strings.Join(hints, "; ")
}

// readsResponse reports whether a goroutine is net/http's that reads responses from a connection. One that waits, but not for the
// connection, waits for what the program does with a response's body.
func readsResponse(st wire.Stack) bool {
	return slices.ContainsFunc(st.Frames, func(p wire.Place) bool { return p.Func == "net/http.(*persistConn).readLoop" })
}

// awaitsSection reports whether op waits until another goroutine leaves a critical section.
func awaitsSection(op string) bool {
	o, _ := trace.ParseOp(op)
	return model.AwaitsSection(o)
}

// lockOps are the operations that wait for a lock. A call of Once.Do is none: it enters the critical
// section only if it is the first.
var lockOps = func() (ops []string) {
	for op := range trace.OpMax {
		if _, certain := model.SectionOfOp(op); certain && model.AwaitsSection(op) {
			ops = append(ops, op.String())
		}
	}
	return ops
}()

// lockHint is what to look at where the goroutines of a cycle wait for each other's locks.
func lockHint(f *wire.Finding, cycle []wire.Place) string {
	switch {
	case len(cycle) == 1 && cycle[0].Op == "once":
		return "a function that Once.Do runs must not call Do of the same Once"
	case len(cycle) == 2 && slices.ContainsFunc(cycle, func(p wire.Place) bool { return strings.HasPrefix(p.Note, "wanted by ") }):
		// A writer waits for one lock only: the one that the other holds, and wants again.
		return "do not take a read lock twice: a writer that waits in between keeps the second one out"
	case len(cycle) == 1:
		return "a lock cannot be taken twice: whoever holds it must call functions that expect it to be held, not ones that take it"
	}
	return "take locks in one order everywhere"
}

// holders returns who holds the lock that p waits for, or wants to write and keeps it out; nil if p waits for something else.
func holders(p wire.Place) []string {
	for _, word := range []string{"held by ", "wanted by "} {
		if names, ok := strings.CutPrefix(p.Note, word); ok {
			return strings.Split(names, ", ")
		}
	}
	return nil
}

// lockCycle returns the places of goroutines that wait, by way of each other's locks, for themselves, in the finding's order; nil if nobody does.
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

// waitsFor reports whether from waits, by way of locks and their holders, for to.
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
