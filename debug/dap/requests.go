package dap

import (
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-dap"
)

// request does what the client asks. The error ends the session.
func (s *server) request(m *message) error {
	if s.t == nil && m.Command != "initialize" && m.Command != "launch" && m.Command != "attach" {
		s.refuse(m, errors.New("no execution is under way: launch or attach first"))
		return nil
	}
	if f := handlers[m.Command]; f != nil {
		return s.told(m, f(s, m))
	}
	return s.told(m, s.pass(m))
}

// told refuses a request whose error does not end the session.
func (s *server) told(m *message, err error) error {
	if err == nil || err == errGone {
		return err
	}
	s.refuse(m, err)
	return nil
}

// handlers are the requests that are not passed on as they are.
var handlers map[string]func(*server, *message) error

func init() {
	handlers = map[string]func(*server, *message) error{
		"initialize":             (*server).initialize,
		"launch":                 (*server).launch,
		"attach":                 (*server).launch,
		"setBreakpoints":         (*server).setBreakpoints,
		"setFunctionBreakpoints": (*server).setFunctionBreakpoints,
		"setDataBreakpoints":     (*server).setDataBreakpoints,
		"configurationDone":      (*server).configured,
		"threads":                (*server).threads,
		"stackTrace":             (*server).stackTrace,
		"variables":              (*server).variables,
		"exceptionInfo":          (*server).exceptionInfo,
		"evaluate":               (*server).evaluate,
		"continue":               (*server).resume,
		"next":                   (*server).resume,
		"stepIn":                 (*server).resume,
		"stepOut":                (*server).resume,
		"stepBack":               (*server).stepBack,
		"reverseContinue":        (*server).reverseContinue,
		"heddle/step":            (*server).custom,
	}
}

// initialize tells what there is: all that delve has, and steps back.
func (s *server) initialize(m *message) error {
	var args map[string]any
	if len(m.Arguments) > 0 {
		if err := json.Unmarshal(m.Arguments, &args); err != nil {
			return err
		}
	}
	if args == nil {
		args = map[string]any{}
	}
	for name, value := range map[string]any{"pathFormat": "path", "linesStartAt1": true,
		"columnsStartAt1": true} {
		if _, given := args[name]; !given {
			args[name] = value
		}
	}
	t, err := newTarget(s.p)
	if err != nil {
		return err
	}
	defer t.end()
	r, err := t.ask(s.ctx, "initialize", raw(args))
	if err != nil {
		return err
	}
	s.init = raw(args)
	capabilities := map[string]any{}
	if err := json.Unmarshal(r.Body, &capabilities); err != nil {
		return err
	}
	capabilities["supportsStepBack"] = true
	capabilities["supportsExceptionInfoRequest"] = true
	capabilities["supportTerminateDebuggee"] = true
	s.reply(m, capabilities)
	return nil
}

// launch starts the execution, for a launch request as for an attach request: what is to be
// executed was said when heddle was started.
func (s *server) launch(m *message) error {
	if s.init == nil {
		return errors.New("initialize comes first")
	}
	s.attributes = map[string]any{}
	if len(m.Arguments) > 0 {
		if err := json.Unmarshal(m.Arguments, &s.attributes); err != nil {
			return err
		}
	}
	if err := s.begin(); err != nil {
		return err
	}
	s.reply(m, nil)
	s.send("initialized", nil)
	s.say("heddle: " + s.p.Summary() + "\nThe debugger stops where the execution shows it. \"heddle help\" lists commands.")
	return nil
}

// setBreakpoints keeps the breakpoints of a file for later executions.
func (s *server) setBreakpoints(m *message) error {
	var args dap.SetBreakpointsArguments
	if err := json.Unmarshal(m.Arguments, &args); err != nil {
		return err
	}
	s.bps[args.Source.Path] = m.Arguments
	return s.pass(m)
}

// setFunctionBreakpoints adds the breakpoint at which heddle's own code pauses, and takes it from
// the response again.
func (s *server) setFunctionBreakpoints(m *message) error {
	var args dap.SetFunctionBreakpointsArguments
	if err := json.Unmarshal(m.Arguments, &args); err != nil {
		return err
	}
	s.functions = args.Breakpoints
	r, err := s.installFunctions(true)
	if r == nil || err != nil {
		return err
	}
	var body dap.SetFunctionBreakpointsResponseBody
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	body.Breakpoints = body.Breakpoints[:min(len(body.Breakpoints), len(s.functions))]
	s.reply(m, body)
	return nil
}

// setDataBreakpoints keeps them; their addresses are the same in each execution.
func (s *server) setDataBreakpoints(m *message) error {
	s.data = m.Arguments
	return s.pass(m)
}

// configured lets the execution begin.
func (s *server) configured(m *message) error {
	s.reply(m, nil)
	return s.reach(s.move("configurationDone", 0))
}

// threads lists the goroutines under test by heddle's names. All others are heddle's or the
// runtime's.
func (s *server) threads(m *message) error {
	threads := s.goroutines()
	switch {
	case len(threads) > 0:
	case s.running || s.thread == 0:
		return s.pass(m)
	default:
		threads = []dap.Thread{{Id: s.thread, Name: "no goroutine is left"}}
	}
	s.reply(m, dap.ThreadsResponseBody{Threads: threads})
	return nil
}

// goroutines returns the goroutines that have a stack, in the order of their names, each with what
// it does next.
func (s *server) goroutines() []dap.Thread {
	view, err := s.t.control.Read()
	if err != nil {
		return nil
	}
	names := view.Names()
	var threads []dap.Thread
	for _, id := range slices.Sorted(maps.Keys(names)) {
		threads = append(threads, dap.Thread{Id: int(id), Name: s.title(names[id], s.place.next())})
	}
	slices.SortStableFunc(threads, func(a, b dap.Thread) int {
		return compareNames(names[uint64(a.Id)], names[uint64(b.Id)])
	})
	return threads
}

// title is a goroutine's name with its next step, from n on.
func (s *server) title(name string, n int) string {
	next := s.p.Steps.Of(name, n-1)
	st, ok := s.p.Steps.At(next)
	if !ok {
		return name
	}
	return name + ": next " + st.What + " at " + spot(st.File, st.Line)
}

// stackTrace leaves out heddle's own frames.
func (s *server) stackTrace(m *message) error {
	var args dap.StackTraceArguments
	if err := json.Unmarshal(m.Arguments, &args); err != nil {
		return err
	}
	all, err := s.frames(args.ThreadId, 0)
	if err != nil {
		return err
	}
	frames := all[min(args.StartFrame, len(all)):]
	if args.Levels > 0 && args.Levels < len(frames) {
		frames = frames[:args.Levels]
	}
	s.reply(m, dap.StackTraceResponseBody{StackFrames: frames, TotalFrames: len(all)})
	return nil
}

// frames returns the program's frames of a goroutine.
func (s *server) frames(thread, levels int) ([]dap.StackFrame, error) {
	r, err := s.t.ask(s.ctx, "stackTrace", raw(dap.StackTraceArguments{ThreadId: thread, Levels: levels}))
	if err != nil {
		return nil, err
	}
	var body dap.StackTraceResponseBody
	if err := json.Unmarshal(s.known(r.Body), &body); err != nil {
		return nil, err
	}
	frames := slices.DeleteFunc(body.StackFrames, func(f dap.StackFrame) bool { return !ofProgram(&f) })
	root := filepath.ToSlash(s.p.GOROOT) + "/src/"
	for i := range frames {
		if strings.HasPrefix(filepath.ToSlash(frames[i].Source.Path), root) ||
			strings.Contains(frames[i].Name, ".deferwrap") {
			frames[i].PresentationHint = "subtle" // an editor shows the first one that is not
		}
	}
	return frames, nil
}

// First returns the index of the frame that is to be looked at first: the innermost one that is not
// of the standard library.
func First(frames []dap.StackFrame) int {
	return max(0, slices.IndexFunc(frames, func(f dap.StackFrame) bool {
		return f.PresentationHint != "subtle"
	}))
}

// ofProgram reports whether a frame is the program's: neither heddle's nor that of the runtime,
// which begins each goroutine.
func ofProgram(f *dap.StackFrame) bool {
	if f.Source == nil || f.Source.Path == "" {
		return false
	}
	path := filepath.ToSlash(f.Source.Path)
	return !strings.Contains(path, "/heddlert/") && !strings.HasSuffix(path, "/src/runtime/heddle.go") &&
		!strings.HasPrefix(f.Name, "runtime.")
}

// variables leaves out those that rewritten code has of its own.
func (s *server) variables(m *message) error {
	r, err := s.t.ask(s.ctx, m.Command, m.Arguments)
	if err != nil {
		return err
	}
	var body dap.VariablesResponseBody
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	body.Variables = slices.DeleteFunc(body.Variables, func(v dap.Variable) bool {
		return strings.HasPrefix(strings.Trim(v.Name, "(&)"), "_hd")
	})
	s.reply(m, body)
	return nil
}

// exceptionInfo tells the finding.
func (s *server) exceptionInfo(m *message) error {
	if s.stopped.Reason != "exception" || s.p.Finding == nil {
		return s.pass(m)
	}
	s.reply(m, dap.ExceptionInfoResponseBody{ExceptionId: s.p.Finding.Kind, Description: s.p.Summary(),
		BreakMode: "always"})
	return nil
}
