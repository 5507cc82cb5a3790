package report

import (
	"fmt"
	"slices"
	"strings"

	"heddle/model"
	"heddle/rt/wire"
	"heddle/trace"
)

// waitHint returns the hint for a deadlock or a leak that no pattern explains, by what is waited
// for, or "".
func waitHint(f *wire.Finding) string {
	if slices.ContainsFunc(f.Stacks,
		func(st wire.Stack) bool { return strings.Contains(st.State, " connection") }) &&
		f.Kind == "deadlock" {
		return "make sure that one end writes what the other reads, or closes the connection"
	}
	if f.Kind == "leak" && slices.ContainsFunc(f.Stacks, readsResponse) {
		return "close the body of every response: the goroutines of its connection wait until it is read to its end or closed"
	}
	for _, p := range f.Places { // a goroutine that only waits for the others is not the cause
		op, _ := trace.ParseOp(p.Op)
		if p.Op != "wg-wait" && !model.AwaitsSection(op) && len(model.HelpersOf(op)) > 0 && !isChannel(op) {
			return fmt.Sprintf("make sure that every %s has its %s", verb(p.Op),
				verb(model.HelpersOf(op)[0].String()))
		}
	}
	if len(f.Places) > 0 && !slices.ContainsFunc(f.Places,
		func(p wire.Place) bool { return p.Op != "wg-wait" }) {
		return "make sure that every Add has its Done, on every path"
	}
	return ""
}

// isChannel reports whether op waits at channels or at a Cond: what helps is not one operation.
func isChannel(op trace.Op) bool {
	switch op {
	case trace.OpSend, trace.OpRecv, trace.OpSelect, trace.OpArrive, trace.OpCondWait, trace.OpCondWake,
		trace.OpSleep:
		return true
	}
	return false
}

// readsResponse reports whether a goroutine of net/http reads responses from a connection. If it
// waits, but not for the connection, it waits for the program to read or close a response's body.
func readsResponse(st wire.Stack) bool {
	return slices.ContainsFunc(st.Frames,
		func(p wire.Place) bool { return p.Func == "net/http.(*persistConn).readLoop" })
}
