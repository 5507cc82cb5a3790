package judge

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
	"heddle/trace/remains"
)

// misusePanics are panics of the runtime and of sync that say that an object was misused.
var misusePanics = []string{
	"send on closed channel", "close of closed channel", "close of nil channel",
	"sync: negative WaitGroup counter", "sync: WaitGroup misuse", "sync: WaitGroup is reused",
	"sync: Unlock of unlocked", "sync: unlock of unlocked", "sync: RUnlock of unlocked",
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
		if kind == Misuse && strings.Contains(msg, m.part) {
			return m.op.String()
		}
	}
	return kind
}

func (j *Judge) failureFinding(x *Execution, f *remains.Failure) *wire.Finding {
	if f == nil {
		return &wire.Finding{Kind: Panic, Message: "the execution ended without a reason"}
	}
	msg, kind := f.Message, Misuse
	if f.Kind == remains.FailExit {
		kind = Panic
		if j.Kind == "main" {
			kind = TestFailure
		}
	}
	if f.Kind == remains.FailPanic {
		msg, kind = panicText(f.Value), Panic
		for _, m := range misusePanics {
			if strings.HasPrefix(msg, m) {
				kind = Misuse
			}
		}
	}
	st := j.stack(x, f.G, f.Stack, "running")
	p := j.userFrame(st.Frames)
	p.Op, p.Goroutine = failedOp(kind, msg), x.Name(f.G)
	if f.Kind == remains.FailExit {
		p.Op = ExitOp
	}
	fd := &wire.Finding{Kind: kind, Message: msg, Places: []wire.Place{p}, Stacks: []wire.Stack{st},
		Output: string(x.Output)}
	return fd
}

// ExitOp is what is said to have been done where the test ended its process.
const ExitOp = "exit"

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

// logLine is where a line of a test's log says it comes from.
var logLine = regexp.MustCompile(`(?m)^\s+([^\s:]+\.go):(\d+): (.*)$`)

// testFailure is a test that says that it fails. Its place is where the line of
// its log stands that says why, or else where it called Fail.
func (j *Judge) testFailure(x *Execution) *wire.Finding {
	o := &x.Outcome
	f := &wire.Finding{Kind: TestFailure, Output: string(o.Output), Message: "the test fails",
		Decided: o.Steps}
	if j.Kind == "example" {
		f.Message = "the example does not print what it should"
	}
	if o.Stack == nil {
		return f
	}
	st := j.stack(x, o.G, o.Stack, "fails")
	st.Frames = j.withoutTesting(st.Frames)
	f.Stacks = []wire.Stack{st}
	p := j.userFrame(st.Frames)
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
		i := slices.IndexFunc(frames,
			func(p wire.Place) bool { return p.Line == line && Base(p.File) == file })
		if i < 0 {
			continue
		}
		// packages of assertions begin on the next line
		if text = strings.TrimSpace(string(output[m[6]:m[7]])); text == "" {
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
func (j *Judge) withoutTesting(frames []wire.Place) []wire.Place {
	for len(frames) > 1 && strings.HasPrefix(frames[0].Func, "testing.") {
		frames = frames[1:]
	}
	return frames
}
