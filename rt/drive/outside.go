package drive

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"heddle/engine/judge"
	"heddle/rt/sched"
	"heddle/rt/wire"
)

// outsiders says in words what was outside control in the execution just made.
func (x *local) outsiders() string {
	var parts []string
	if at := x.waitFrame(x.d.Frames(sched.S.OutsideWait())); at.File != "" {
		parts = append(parts, fmt.Sprintf("%s waits at %s:%d for a file, a socket, a pipe, a process or a lock held outside", at.Func, judge.Base(at.File), at.Line))
	}
	const others = "goroutines of packages that heddle does not rewrite, or from before the test, take part"
	if x.seeStrangers(); len(x.who) > 0 {
		parts = append(parts, others+", started by "+strings.Join(x.who, ", "))
	}
	if len(parts) == 0 {
		return others
	}
	return strings.Join(parts, ", and ")
}

// waitFrame returns the first frame that is not the standard library's or, of a
// goroutine of the standard library's own, such as one that serves a connection, the outermost.
func (x *local) waitFrame(fs []wire.Place) wire.Place {
	if at := judge.UserFrame(x.d, fs); x.d.goroot != "" && !sched.Standard(at.File) || len(fs) == 0 {
		return at
	}
	return fs[len(fs)-1]
}

// mostStrangers is how many starters of goroutines outside control are named.
const mostStrangers = 3

// seeStrangers notes what started the goroutines outside control.
func (x *local) seeStrangers() {
	if len(x.who) < mostStrangers {
		x.who = strangers(x.who, mostStrangers)
	}
}

// strangers adds to known what started the goroutines outside control that there are now, as
// "net/http.(*Server).Serve (server.go:3493)", each function once, as long as there are fewer than
// most.
func strangers(known []string, most int) []string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for i, g := range bytes.Split(buf, []byte("\n\n")) {
		if i == 0 { // the goroutine that asks
			continue
		}
		s := starter(string(g))
		fn, _, _ := strings.Cut(s, " (")
		same := func(k string) bool { return k == fn || strings.HasPrefix(k, fn+" (") }
		if s != "" && len(known) < most && !slices.ContainsFunc(known, same) {
			known = append(known, s)
		}
	}
	return known
}

// starter reads off a goroutine's dump what started it; "" for coroutines, for
// the goroutine that waits for the tests, and where the dump does not say.
func starter(dump string) string {
	if strings.Contains(dump, "heddlert/sched.(*worker).main") {
		return ""
	}
	stack, by, ok := strings.Cut(dump, "\ncreated by ")
	if !ok {
		return ""
	}
	fn, at, _ := strings.Cut(by, "\n\t")
	fn, _, _ = strings.Cut(fn, " in goroutine ")
	if fn == "heddlert/hook.Go" || fn == "heddlert/hook.GoArgs" {
		// A rewritten go statement: the function that it made of its call stands where it does.
		lines := strings.Split(stack, "\n")
		if len(lines) < 3 {
			return ""
		}
		fn, at = lines[len(lines)-2], lines[len(lines)-1]
		fn = fn[:max(0, strings.LastIndexByte(fn, '('))]
		if i := strings.LastIndex(fn, ".func"); i > 0 {
			fn = fn[:i]
		}
	}
	at, _, _ = strings.Cut(strings.TrimSpace(at), " ")
	if at == "" {
		return fn
	}
	return fn + " (" + judge.Base(at) + ")"
}
