package main

import (
	"regexp"
	"strconv"
	"strings"

	"heddle/rt/wire"
)

// The dump that the runtime prints of a process that dies, or is told to by
// SIGQUIT, says in which goroutine and where.

// A dumped goroutine is one paragraph of it.
type dumped struct {
	state  string // "running", "IO wait", "syscall, 2 minutes", ...
	frames []wire.Place
	ours   bool // it ran under control
}

var (
	dumpHead  = regexp.MustCompile(`^goroutine \d+ .*\[([^\]]*)\]:$`)
	dumpPlace = regexp.MustCompile(`^\t(.+\.go):(\d+)(?: .*)?$`)
)

// parseDump returns what was printed before the dump, and its goroutines.
func parseDump(output string) (before string, gs []dumped) {
	var g *dumped
	fn := ""
	head := 0
	at := 0
	for line := range strings.Lines(output) {
		at += len(line)
		line = strings.TrimRight(line, "\r\n")
		if m := dumpHead.FindStringSubmatch(line); m != nil {
			if len(gs) == 0 {
				head = at - len(line) - 1
			}
			gs = append(gs, dumped{state: m[1]})
			g, fn = &gs[len(gs)-1], ""
			continue
		}
		if g == nil {
			continue
		}
		switch m := dumpPlace.FindStringSubmatch(line); {
		case m != nil && fn != "":
			n, _ := strconv.Atoi(m[2])
			g.frames = append(g.frames, wire.Place{File: m[1], Line: n, Func: fn})
			g.ours = g.ours || fn == "heddlert/sched.(*Sched).start"
			fn = ""
		case line == "":
			g = nil
		case strings.HasPrefix(line, "created by "):
			fn = "" // what started it is no frame of its own
		case !strings.HasPrefix(line, "\t"):
			fn = line
			if i := strings.LastIndexByte(line, '('); i > 0 {
				fn = line[:i] // without the arguments
			}
		}
	}
	if len(gs) == 0 {
		return output, nil
	}
	before, _, _ = strings.Cut(output[:head], "\nruntime stack:\n")
	return before, gs
}

// culprit returns the goroutine under test that ran: nil if the dump does not show it.
func culprit(gs []dumped) *dumped {
	for i := range gs {
		if gs[i].ours && !strings.HasPrefix(gs[i].state, "coroutine") {
			return &gs[i]
		}
	}
	return nil
}

// userFrames returns the frames that the program has itself: without what the
// runtime does in its name on top, and what called the test below.
func (g *dumped) userFrames() []wire.Place {
	var out []wire.Place
	for _, f := range g.frames {
		switch {
		case f.Func == "testing.tRunner" || f.Func == "testing.fRunner" ||
			f.Func == "testing.heddleExample" || f.Func == "heddlert/sched.(*Sched).start":
			return out
		case strings.HasPrefix(f.Func, "heddlert/"), strings.HasPrefix(f.File, "<"):
			continue
		case len(out) == 0 && (strings.HasPrefix(f.Func, "runtime.") ||
			strings.HasPrefix(f.Func, "internal/poll.")):
			continue
		}
		out = append(out, f)
	}
	return out
}
