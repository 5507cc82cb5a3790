// Package term is a debugger in the terminal: a client of package debug/dap that reads commands.
package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	protocol "github.com/google/go-dap"

	"heddle/debug"
	"heddle/debug/dap"
)

// A session is one use of the debugger.
type session struct {
	*dap.Client
	out    io.Writer
	thread int // the goroutine that commands are about
	frame  int // and its frame, for variables
	bps    map[string][]int
	at     protocol.StackFrame
	over   bool
}

// Run reads commands by readLine, which is given the prompt, until they end or ctx does. No process
// is left then.
func Run(ctx context.Context, p *debug.Program, readLine func(prompt string) (string, error),
	out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ours, its := net.Pipe()
	defer ours.Close()
	served := make(chan error, 1)
	go func() {
		defer its.Close()
		served <- dap.Serve(ctx, p, its)
	}()
	s := &session{Client: dap.NewClient(ctx, ours), out: out, bps: map[string][]int{}}
	s.Output = func(_, text string) { fmt.Fprint(out, text) }
	err := s.start()
	for err == nil && !s.over {
		var line string
		if line, err = read(ctx, readLine); err == nil {
			err = s.do(line)
		}
	}
	cancel()
	end := <-served
	for _, fine := range []error{nil, io.EOF, dap.ErrEnded, context.Canceled} {
		if errors.Is(err, fine) {
			return end
		}
	}
	return err
}

// read reads a line. When ctx ends the reader is left to itself.
func read(ctx context.Context, readLine func(string) (string, error)) (string, error) {
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		line, err := readLine("(heddle) ")
		answers <- answer{line, err}
	}()
	select {
	case a := <-answers:
		return a.line, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// start runs to the first stop.
func (s *session) start() error {
	if err := s.Start(); err != nil {
		return err
	}
	if err := s.Ask("configurationDone", nil, nil); err != nil {
		return err
	}
	return s.stopped(s.Stopped())
}

// A command is a command of the terminal.
type command struct {
	names []string
	args  string
	what  string
	do    func(s *session, arg string) error
}

// commands lists them, in the order in which help shows them.
func commands() []command {
	return []command{
		{[]string{"continue", "c"}, "", "go on to the next breakpoint, or to where it goes wrong",
			mover("continue")},
		{[]string{"next", "n"}, "", "go to the next line of this goroutine", mover("next")},
		{[]string{"stepin", "s"}, "", "go into the function that is called", mover("stepIn")},
		{[]string{"stepout", "so"}, "", "go to the end of this function", mover("stepOut")},
		{[]string{"back", "b"}, "", "go one step of the execution back", mover("stepBack")},
		{[]string{"rcontinue", "rc"}, "", "go back to the breakpoint before", mover("reverseContinue")},
		{[]string{"step", "st"}, "[GOROUTINE]", "go to the next step of this goroutine, or of another one",
			custom("step")},
		{[]string{"switch", "sw"}, "", "go to the next step by another goroutine", custom("switch")},
		{[]string{"access", "a"}, "[NAME]", "go to the next step about a variable, lock or channel",
			custom("access")},
		{[]string{"goto", "g"}, "N", "go to step N, forwards or backwards", custom("goto")},
		{[]string{"steps"}, "", "list the steps around this one", custom("steps")},
		{[]string{"where", "w"}, "", "say which step is next, and what the execution shows", custom("where")},
		{[]string{"break", "br"}, "FILE:LINE", "set a breakpoint, or remove it", (*session).breakpoint},
		{[]string{"goroutines", "gs"}, "", "list the goroutines", (*session).goroutines},
		{[]string{"goroutine", "gr"}, "NAME", "look at another goroutine", (*session).goroutine},
		{[]string{"stack", "bt"}, "", "print this goroutine's stack", (*session).stack},
		{[]string{"frame", "f"}, "N", "look at frame N of the stack", (*session).selectFrame},
		{[]string{"print", "p"}, "EXPRESSION", "print a value", (*session).print},
		{[]string{"locals", "l"}, "", "print arguments and local variables", (*session).locals},
		{[]string{"list", "ls"}, "", "print the source around this line", (*session).list},
		{[]string{"help", "h"}, "", "list the commands", (*session).help},
		{[]string{"quit", "q"}, "", "end the program and the debugger", (*session).quit},
	}
}

// do does what a line says. The error ends the session.
func (s *session) do(line string) error {
	word, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	if word == "" {
		return nil
	}
	for _, c := range commands() {
		if !slices.Contains(c.names, word) {
			continue
		}
		err := c.do(s, strings.TrimSpace(arg))
		if err == nil || errors.Is(err, dap.ErrEnded) || errors.Is(err, context.Canceled) {
			return err
		}
		fmt.Fprintln(s.out, err)
		return nil
	}
	fmt.Fprintf(s.out, "%s: no such command; help lists them\n", word)
	return nil
}

func (s *session) help(string) error {
	for _, c := range commands() {
		fmt.Fprintf(s.out, "  %-28s %s\n", strings.TrimSpace(strings.Join(c.names, ", ")+" "+c.args), c.what)
	}
	return nil
}

func (s *session) quit(string) error {
	s.over = true
	return nil
}

// mover makes a command of a request that lets the execution go on.
func mover(request string) func(*session, string) error {
	return func(s *session, _ string) error {
		return s.stopped(s.Move(request, protocol.ContinueArguments{ThreadId: s.thread}))
	}
}

// custom makes a command of one of heddle's.
func custom(word string) func(*session, string) error {
	return func(s *session, arg string) error {
		var answer protocol.EvaluateResponseBody
		args := map[string]any{"command": strings.TrimSpace(word + " " + arg), "threadId": s.thread}
		if err := s.Ask("heddle/step", args, &answer); err != nil {
			return err
		}
		if word == "steps" || word == "where" {
			fmt.Fprintln(s.out, answer.Result)
			return nil
		}
		return s.stopped(s.Stopped())
	}
}

// stopped tells where the execution has stopped.
func (s *session) stopped(at protocol.StoppedEventBody, err error) error {
	if err != nil {
		if errors.Is(err, dap.ErrEnded) {
			fmt.Fprintln(s.out, "the execution is over")
		}
		return err
	}
	s.thread = at.ThreadId
	return s.show()
}

// show looks at the first frame of the goroutine.
func (s *session) show() error {
	frames, err := s.frames()
	if err != nil {
		return err
	}
	s.at, s.frame = protocol.StackFrame{}, 0
	if len(frames) == 0 {
		fmt.Fprintf(s.out, "%s\n", s.name())
		return nil
	}
	s.at = frames[dap.First(frames)]
	s.frame = s.at.Id
	fmt.Fprintf(s.out, "%s in %s\n", s.name(), s.at.Name)
	return s.list("")
}

// threads returns the goroutines.
func (s *session) threads() ([]protocol.Thread, error) {
	var body protocol.ThreadsResponseBody
	err := s.Ask("threads", nil, &body)
	return body.Threads, err
}

// name is the name of the goroutine that commands are about.
func (s *session) name() string {
	threads, _ := s.threads()
	for _, t := range threads {
		if t.Id == s.thread {
			name, _, _ := strings.Cut(t.Name, ":")
			return name
		}
	}
	return "?"
}

func (s *session) goroutines(string) error {
	threads, err := s.threads()
	for _, t := range threads {
		mark := " "
		if t.Id == s.thread {
			mark = "*"
		}
		fmt.Fprintf(s.out, "%s %s\n", mark, t.Name)
	}
	return err
}

func (s *session) goroutine(name string) error {
	threads, err := s.threads()
	if err != nil {
		return err
	}
	for _, t := range threads {
		if its, _, _ := strings.Cut(t.Name, ":"); its == name {
			s.thread = t.Id
			return s.show()
		}
	}
	return fmt.Errorf("%q: no goroutine of that name has begun and not ended; goroutines lists them", name)
}

func (s *session) frames() ([]protocol.StackFrame, error) {
	var body protocol.StackTraceResponseBody
	err := s.Ask("stackTrace", protocol.StackTraceArguments{ThreadId: s.thread}, &body)
	return body.StackFrames, err
}

func (s *session) stack(string) error {
	frames, err := s.frames()
	for i, f := range frames {
		mark := " "
		if f.Id == s.frame {
			mark = "*"
		}
		fmt.Fprintf(s.out, "%s %2d  %-40s %s\n", mark, i, f.Name, spot(&f))
	}
	return err
}

func (s *session) selectFrame(arg string) error {
	frames, err := s.frames()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 || n >= len(frames) {
		return fmt.Errorf("frame %s: want a number from 0 to %d", arg, len(frames)-1)
	}
	s.at, s.frame = frames[n], frames[n].Id
	return s.list("")
}

func (s *session) print(expression string) error {
	var body protocol.EvaluateResponseBody
	err := s.Ask("evaluate", protocol.EvaluateArguments{Expression: expression, FrameId: s.frame,
		Context: "watch"}, &body)
	if err == nil {
		fmt.Fprintln(s.out, body.Result)
	}
	return err
}

func (s *session) locals(string) error {
	var scopes protocol.ScopesResponseBody
	if err := s.Ask("scopes", protocol.ScopesArguments{FrameId: s.frame}, &scopes); err != nil {
		return err
	}
	for _, scope := range scopes.Scopes {
		if !strings.HasPrefix(scope.Name, "Locals") && !strings.HasPrefix(scope.Name, "Arguments") {
			continue
		}
		var vars protocol.VariablesResponseBody
		args := protocol.VariablesArguments{VariablesReference: scope.VariablesReference}
		if err := s.Ask("variables", args, &vars); err != nil {
			return err
		}
		for _, v := range vars.Variables {
			fmt.Fprintf(s.out, "  %s = %s\n", v.Name, v.Value)
		}
	}
	return nil
}

// aroundLine is how many lines of source are printed on each side.
const aroundLine = 4

func (s *session) list(string) error {
	if s.at.Source == nil {
		return nil
	}
	fmt.Fprintf(s.out, "%s\n", spot(&s.at))
	text, err := os.ReadFile(s.at.Source.Path)
	if err != nil {
		return nil // the place says enough
	}
	lines := strings.Split(string(text), "\n")
	for n := max(1, s.at.Line-aroundLine); n <= min(len(lines), s.at.Line+aroundLine); n++ {
		mark := "  "
		if n == s.at.Line {
			mark = "=>"
		}
		fmt.Fprintf(s.out, "%s %4d  %s\n", mark, n, lines[n-1])
	}
	return nil
}

func spot(f *protocol.StackFrame) string {
	if f.Source == nil {
		return ""
	}
	return filepath.Base(f.Source.Path) + ":" + strconv.Itoa(f.Line)
}

// breakpoint sets a breakpoint, or removes one that is set.
func (s *session) breakpoint(arg string) error {
	file, line, err := s.place(arg)
	if err != nil {
		return err
	}
	lines := s.bps[file]
	if i := slices.Index(lines, line); i >= 0 {
		lines = slices.Delete(slices.Clone(lines), i, i+1)
	} else {
		lines = append(slices.Clone(lines), line)
	}
	args := protocol.SetBreakpointsArguments{Source: protocol.Source{Name: filepath.Base(file), Path: file}}
	for _, n := range lines {
		args.Breakpoints = append(args.Breakpoints, protocol.SourceBreakpoint{Line: n})
	}
	var body protocol.SetBreakpointsResponseBody
	if err := s.Ask("setBreakpoints", args, &body); err != nil {
		return err
	}
	s.bps[file] = lines
	for _, b := range body.Breakpoints {
		if !b.Verified {
			return fmt.Errorf("no breakpoint is possible there: %s", b.Message)
		}
	}
	fmt.Fprintf(s.out, "%d breakpoints in %s\n", len(lines), filepath.Base(file))
	return nil
}

// place reads FILE:LINE, or LINE in the file that is looked at.
func (s *session) place(arg string) (file string, line int, err error) {
	i := strings.LastIndexByte(arg, ':')
	if line, err = strconv.Atoi(arg[i+1:]); err != nil {
		return "", 0, fmt.Errorf("%s: want FILE:LINE, or LINE in this file", arg)
	}
	here := ""
	if s.at.Source != nil {
		here = s.at.Source.Path
	}
	switch {
	case i < 0 && here == "":
		return "", 0, fmt.Errorf("%s: in which file? Want FILE:LINE", arg)
	case i < 0 || filepath.Base(here) == arg[:i]:
		return here, line, nil
	case filepath.IsAbs(arg[:i]):
		return arg[:i], line, nil
	case here != "":
		if beside := filepath.Join(filepath.Dir(here), arg[:i]); exists(beside) {
			return beside, line, nil
		}
	}
	file, err = filepath.Abs(arg[:i])
	return file, line, err
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
