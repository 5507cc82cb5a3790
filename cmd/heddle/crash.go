package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heddle/clip"
	"heddle/engine"
	"heddle/rt/wire"
	"heddle/trace"
)

// schedule is what the binary executed when it died, then what chose. Where the
// steps are not known, policy and seed may make it happen again.
func (o *outcome) schedule() *trace.Schedule {
	c := o.crash
	s := &trace.Schedule{Policy: c.Policy, Seed: c.Seed, Depth: c.Depth, Free: c.Free,
		Exhaustive: c.Exhaustive}
	if o.trace != nil {
		s.Steps = o.trace.Steps
	}
	return s
}

// crashFinding describes the end of a binary in the middle of a test.
func (e *exploration) crashFinding(test, pkg string, res *outcome, visible []uint64) *wire.Finding {
	c := res.crash
	f := &wire.Finding{Kind: "panic", Executions: c.Execution}
	if res.timedOut || res.stalled {
		f.Kind = "uncontrolled"
	}
	f.Died = f.Kind == "panic"
	e.blame(f, pkg, res)
	slices.Sort(visible)
	f.Clip = wire.Clip{Test: test, Kind: f.Kind, Message: f.Message, Visible: slices.Compact(visible),
		Places: f.Places}
	if c.Running && c.Test == test {
		f.Clip.Policy, f.Clip.Seed, f.Clip.Depth, f.Clip.Free = c.Policy, c.Seed, c.Depth, c.Free
		f.Clip.Input = res.input
		if t := res.trace; t != nil {
			f.Clip.Policy, f.Clip.Depth, f.Clip.Visible = "first", 0, engine.VisibleIn(t)
			f.Clip.Steps = engine.StepsOf(t, symbols(res.path))
			f.Switches = t.Switches()
		}
	}
	return f
}

// crashKey tells the ends of binaries apart. Which goroutine notices that a map is used at once,
// and whether it reads then, is chance.
func crashKey(f *wire.Finding) string {
	if strings.Contains(f.Message, "fatal error: concurrent map ") {
		return f.Kind + " concurrent map"
	}
	return f.Kind + " " + clip.Name(&f.Clip)
}

// blame says what happened, in which goroutine and at which call, from what the
// runtime printed of the goroutines.
func (e *exploration) blame(f *wire.Finding, pkg string, res *outcome) {
	before, gs := parseDump(res.output)
	g := culprit(gs)
	if g == nil {
		f.Message, f.Output = crashMessage(res, "", ""), crashOutput(res.output, pkg)
		return
	}
	name := "main"
	if t := res.trace; t != nil && len(t.Steps) > 0 {
		name = t.Name(t.Steps[len(t.Steps)-1].G)
	}
	frames := g.userFrames()
	call := ""
	for _, p := range frames {
		if !strings.HasPrefix(p.File, filepath.Join(e.looks.GOROOT, "src")+string(filepath.Separator)) {
			p.Op, p.Goroutine = f.Kind, name
			if f.Kind == "uncontrolled" {
				p.Op = "hangs"
			}
			f.Places = []wire.Place{p}
			break
		}
		call = p.Func
	}
	// a runnable goroutine was taken off the processor, so it is in no call that blocks
	if strings.HasPrefix(g.state, "runnable") {
		res.looped, call = true, ""
	}
	f.Message = crashMessage(res, name, call)
	f.Stacks = []wire.Stack{{Goroutine: name, State: "(" + g.state + ")", Frames: frames}}
	if res.stalled || res.timedOut {
		before, _, _ = strings.Cut(before, "SIGQUIT: quit\n") // that was us
	}
	f.Output = lastLines(before, crashLines/2)
}

// crashMessage says in one sentence how the binary ended, while which goroutine
// ("": not known) was in which call of the standard library ("": in none).
func crashMessage(res *outcome, goroutine, call string) string {
	if goroutine == "" {
		goroutine = "of the test"
	}
	switch {
	case res.stalled && call != "":
		return fmt.Sprintf("goroutine %s does not come back from %s, a call that heddle cannot control",
			goroutine, call)
	case res.stalled && res.looped:
		return fmt.Sprintf("goroutine %s runs on and on without any operation: a loop for ever?", goroutine)
	case res.stalled:
		return fmt.Sprintf("goroutine %s does not go on: a call that heddle cannot control blocks", goroutine)
	case res.timedOut:
		return "the test did not end in time (-timeout)"
	}
	for _, prefix := range crashWords {
		for line := range strings.Lines(res.output) {
			if strings.HasPrefix(line, prefix) {
				return "the test binary died: " + strings.TrimSpace(line)
			}
		}
	}
	return "the test binary ended in the middle of the test: " + res.why()
}

// crashWords begin the line that says why a Go program died, the most telling first.
var crashWords = []string{"fatal error: ", "panic: ", "runtime: ", "unexpected fault", "SIG", "heddle: "}

const crashLines = 60

// crashOutput is what a reader wants of the output of a binary that died: its
// last lines or, if the runtime left a dump, the reason and the goroutines
// that were in the package under test.
func crashOutput(output, pkg string) string {
	at := -1
	for _, word := range crashWords {
		if i := lineAt(output, word); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 {
		return lastLines(output, crashLines)
	}
	parts := strings.Split(strings.TrimSpace(output[at:]), "\n\n")
	var kept []string
	for i, part := range parts {
		ours := strings.Contains(part, pkg+".") || strings.Contains(part, pkg+"_test.")
		if i == 0 || strings.HasPrefix(part, "goroutine ") && ours {
			kept = append(kept, firstLines(withoutOurs(part), crashLines/2))
		}
	}
	return firstLines(strings.Join(kept, "\n\n"), crashLines)
}

// withoutOurs leaves out the frames of a goroutine that are heddle's: two lines
// each, the function and its place.
func withoutOurs(part string) string {
	lines := strings.Split(part, "\n")
	var kept []string
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "heddlert/") || strings.Contains(lines[i], ".heddle") {
			i++
			continue
		}
		kept = append(kept, lines[i])
	}
	return strings.Join(kept, "\n")
}

// lineAt returns where the first line that begins with prefix begins, or -1.
func lineAt(s, prefix string) int {
	if strings.HasPrefix(s, prefix) {
		return 0
	}
	if i := strings.Index(s, "\n"+prefix); i >= 0 {
		return i + 1
	}
	return -1
}

func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	return strings.TrimRight(strings.Join(lines[:min(n, len(lines))], ""), "\n")
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
