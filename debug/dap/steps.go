package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// errRunning answers a request that needs a stopped execution.
var errRunning = errors.New("the execution goes on: pause it first")

// resume is continue, next, stepIn and stepOut.
func (s *server) resume(m *message) error {
	if s.running {
		return errRunning
	}
	var args dap.ContinueArguments
	if err := json.Unmarshal(m.Arguments, &args); err != nil {
		return err
	}
	if m.Command == "continue" {
		s.reply(m, dap.ContinueResponseBody{AllThreadsContinued: true})
		return s.reach(s.move("continue", args.ThreadId))
	}
	s.reply(m, nil)
	return s.reach(s.walk(m.Command, args.ThreadId))
}

// mostLeaves bounds the frames of heddle's that are left at once.
const mostLeaves = 60

// walk makes a step by lines. It begins and ends in the program's code: an operation that the
// process pauses before is performed in heddle's, perhaps in a function of the standard library.
func (s *server) walk(command string, thread int) (*stop, error) {
	from, err := s.line(thread)
	if err != nil {
		return nil, err
	}
	st, left, err := s.leave(thread, s.stopped.pause != 0)
	if err != nil || st != nil && !left {
		return st, err
	}
	if at, err := s.line(thread); err != nil || st != nil && command != "stepOut" && at != from {
		return st, err // the call of the operation was the last of its line
	}
	for range mostLeaves {
		st, err := s.move(command, thread)
		if err != nil || !st.stepped() {
			return st, err
		}
		own, err := s.inside(st.ThreadId, false)
		if err != nil || !own {
			return st, err
		}
		if command != "stepIn" { // the goroutine's function has returned
			return s.move("continue", thread)
		}
		if st, left, err := s.leave(thread, false); err != nil || st != nil && !left {
			return st, err
		}
	}
	return s.move("next", thread)
}

// stepped reports whether a stop is the end of a step by lines.
func (st *stop) stepped() bool { return st.Reason == "step" && st.pause == 0 }

// leave has a goroutine return from heddle's functions to the program's; std: from those of the
// standard library too. It returns the last stop, nil if it was there already; left is false for a
// stop that comes before that.
func (s *server) leave(thread int, std bool) (st *stop, left bool, err error) {
	for range mostLeaves {
		if own, err := s.inside(thread, std); err != nil || !own {
			return st, true, err
		}
		if st, err = s.move("stepOut", thread); err != nil || !st.stepped() {
			return st, false, err
		}
	}
	return st, false, nil
}

// line returns where a goroutine is in the program's code.
func (s *server) line(thread int) (string, error) {
	frames, err := s.frames(thread, 0)
	if err != nil || len(frames) == 0 {
		return "", err
	}
	f := &frames[First(frames)]
	return fmt.Sprintf("%s:%d in %s", f.Source.Path, f.Line, f.Name), nil
}

// inside reports whether a goroutine is in a function of heddle's, or of the runtime on its behalf;
// std: or of the standard library that one of the program has called.
func (s *server) inside(thread int, std bool) (bool, error) {
	r, err := s.t.ask(s.ctx, "stackTrace", raw(dap.StackTraceArguments{ThreadId: thread, Levels: 1}))
	if err != nil {
		return false, err
	}
	var body dap.StackTraceResponseBody
	if err := json.Unmarshal(r.Body, &body); err != nil || len(body.StackFrames) == 0 {
		return false, err
	}
	if !ofProgram(&body.StackFrames[0]) || !std {
		return !ofProgram(&body.StackFrames[0]), nil
	}
	frames, err := s.frames(thread, 0)
	return err == nil && First(frames) > 0, err
}

// stepBack goes to one operation earlier.
func (s *server) stepBack(m *message) error {
	if s.running {
		return errRunning
	}
	s.reply(m, nil)
	n := s.p.Steps.Before(s.place.next())
	if n == 0 {
		return s.first()
	}
	st, _, _, err := s.again(n, 0)
	return s.reach(st, err)
}

// first goes to the first step: there is nothing before it.
func (s *server) first() error {
	n := s.p.Steps.After(0)
	st, _, _, err := s.again(n, 0)
	if err == nil {
		s.say("this is the first step of the execution")
	}
	return s.reach(st, err)
}

// reverseContinue goes to the last breakpoint before, or to where the execution goes wrong if that
// is later.
func (s *server) reverseContinue(m *message) error {
	if s.running {
		return errRunning
	}
	s.reply(m, nil)
	from := s.place
	_, hits, last, err := s.again(from.step, -1)
	if err != nil {
		return s.reach(nil, err)
	}
	if n := from.earlier(); n > 0 {
		hits, last = hits+n, from.step
	}
	var st *stop
	switch {
	case s.wrong.step > last && s.wrong.step < from.step:
		st, _, _, err = s.again(s.wrong.step, 0)
	case hits > 0:
		st, _, _, err = s.again(0, hits)
	default:
		return s.first()
	}
	return s.reach(st, err)
}

// custom is the request heddle/step: a command of heddle's in its argument.
func (s *server) custom(m *message) error {
	var args struct {
		Command  string `json:"command"`
		ThreadID int    `json:"threadId"`
	}
	if err := json.Unmarshal(m.Arguments, &args); err != nil {
		return err
	}
	if args.ThreadID != 0 {
		s.thread = args.ThreadID
	}
	return s.command(m, args.Command)
}

// evaluate takes commands of heddle's in the console, and passes on all else.
func (s *server) evaluate(m *message) error {
	var args dap.EvaluateArguments
	if err := json.Unmarshal(m.Arguments, &args); err != nil {
		return err
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(args.Expression), "heddle")
	if args.Context != "repl" || !ok || text != "" && text[0] != ' ' {
		return s.pass(m)
	}
	return s.command(m, strings.TrimSpace(text))
}

// Help lists the commands of heddle's.
const Help = `heddle step [GOROUTINE]  go to the next step of this goroutine, or of another one
heddle switch            go to the next step by another goroutine
heddle access [NAME]     go to the next access to a variable, lock or channel, as the source calls it
heddle goto N            go to step N, forwards or backwards
heddle steps             list the steps around this one
heddle where             say which step is next, and what the execution shows`

// command does what a command says, and answers the request that it came with.
func (s *server) command(m *message, text string) error {
	word, arg, _ := strings.Cut(text, " ")
	arg = strings.TrimSpace(arg)
	answer := func(text string) error {
		s.reply(m, dap.EvaluateResponseBody{Result: text})
		return nil
	}
	switch word {
	case "", "help":
		return answer(Help)
	case "where":
		return answer(s.where())
	case "steps":
		return answer(s.around())
	}
	if s.running {
		return errRunning
	}
	n, err := s.destination(word, arg)
	if err != nil {
		return err
	}
	if err := answer("to " + s.p.Steps.Name(n)); err != nil {
		return err
	}
	return s.reach(s.goTo(n))
}

// destination returns the step that a command leads to.
func (s *server) destination(word, arg string) (n int, err error) {
	here := s.place.step
	switch word {
	case "step":
		if arg == "" {
			arg = s.name(s.thread)
		}
		n, err = s.p.Steps.Of(arg, here), fmt.Errorf("goroutine %s makes no further step", arg)
	case "switch":
		n, err = s.p.Steps.Switched(here), errors.New("no other goroutine makes a further step")
	case "access":
		if at, ok := s.p.Steps.At(here); arg == "" && ok {
			arg = at.Object
		}
		n, err = s.p.Steps.Access(arg, here), s.noAccess(arg)
	case "goto":
		number, err := strconv.Atoi(arg)
		n, last := s.p.Steps.Numbered(number)
		if err != nil || n == 0 {
			return 0, fmt.Errorf("goto %s: want a step from 1 to %d", arg, last)
		}
		return s.p.Steps.From(n), nil
	default:
		return 0, fmt.Errorf("heddle %s: no such command; there are:\n%s", word, Help)
	}
	if n == 0 {
		return 0, err
	}
	return n, nil
}

// noAccess says why there is no next access.
func (s *server) noAccess(name string) error {
	if s.p.Steps.Has(name) {
		return fmt.Errorf("there is no further step about %s", name)
	}
	return fmt.Errorf("no step is about %q: \"heddle steps\" shows what steps are about; for other variables set a data breakpoint", name)
}

// name returns the name of a goroutine.
func (s *server) name(thread int) string {
	view, err := s.t.control.Read()
	if err != nil {
		return ""
	}
	return view.Names()[uint64(thread)]
}

// where says where the execution is.
func (s *server) where() string {
	_, last := s.p.Steps.Numbered(0)
	text := fmt.Sprintf("all %d steps are done", last)
	if st, ok := s.p.Steps.At(s.place.next()); ok {
		text = fmt.Sprintf("next is %s of %d: %s: %s at %s", s.p.Steps.Name(s.place.next()), last, st.G,
			st.What, spot(st.File, st.Line))
	}
	return text + "\n" + s.p.Summary()
}

// short cuts a text to the width of its column.
func short(text string) string {
	const width = 30
	if r := []rune(text); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return text
}

// nearby is how many steps are listed on each side.
const nearby = 8

// around lists the steps around the next one.
func (s *server) around() string {
	var text strings.Builder
	next := s.place.next()
	shown, last := 0, 0
	from := next
	for k := 0; k < nearby && s.p.Steps.Before(from) > 0; k++ {
		from = s.p.Steps.Before(from)
	}
	for n := from; n <= len(s.p.Steps) && shown < 2*nearby; n++ {
		st := s.p.Steps[n-1]
		if st.Inside {
			continue
		}
		shown++
		mark := "  "
		if n == next {
			mark = "=>"
		}
		at := ""
		if st.File != "" {
			at = spot(st.File, st.Line)
		}
		number := ""
		if st.Number > 0 && st.Number != last {
			number, last = strconv.Itoa(st.Number), st.Number
		}
		fmt.Fprintf(&text, "%s %4s  %-10s %-30s %-20s %s\n", mark, number, st.G,
			short(st.What), at, st.Source)
	}
	return strings.TrimSuffix(text.String(), "\n")
}
