package dap

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-dap"

	hw "heddle/rt/wire"
)

// A stop is where a process stopped, and why.
type stop struct {
	dap.StoppedEventBody
	pause uint32 // of heddle's own code, package wire; 0: delve stopped it
	shows bool   // the finding
}

// hit reports whether it is at a breakpoint of the client.
func (st *stop) hit() bool {
	if st.pause != 0 {
		return false
	}
	switch st.Reason {
	case "breakpoint", "function breakpoint", "data breakpoint", "instruction breakpoint":
		return true
	}
	return false
}

// begin starts a process, which is stopped before it does anything. It has no breakpoint of the
// client yet.
func (s *server) begin() error {
	t, err := newTarget(s.p)
	if err != nil {
		return err
	}
	if err := t.launch(s.ctx, s.p, s.init, s.attributes); err != nil {
		t.end()
		return err
	}
	s.t, s.place = t, position{}
	if _, err := s.installFunctions(false); err != nil {
		return err
	}
	return s.aim()
}

// aim has the process pause where the finding is, if that is still to come.
func (s *server) aim() error {
	pauses, n := uint32(1<<hw.PauseStep|1<<hw.PauseEnd), 0
	if !s.muted && (s.wrong.step == 0 || s.place.precedes(s.wrong)) {
		pauses |= s.p.Pauses()
		n = s.p.WrongStep()
	}
	if err := s.t.control.Pauses(pauses); err != nil {
		return err
	}
	return s.t.control.Stop(n)
}

// install sets the client's breakpoints in a new process.
func (s *server) install() error {
	for _, args := range s.bps {
		if _, err := s.t.ask(s.ctx, "setBreakpoints", args); err != nil {
			return err
		}
	}
	if s.data != nil {
		if _, err := s.t.ask(s.ctx, "setDataBreakpoints", s.data); err != nil {
			return err
		}
	}
	_, err := s.installFunctions(true)
	return err
}

// installFunctions sets the breakpoint at which heddle's code pauses, after those of the client
// where they are wanted.
func (s *server) installFunctions(clients bool) (*message, error) {
	var args dap.SetFunctionBreakpointsArguments
	if clients {
		args.Breakpoints = slices.Clone(s.functions)
	}
	args.Breakpoints = append(args.Breakpoints, dap.FunctionBreakpoint{Name: hw.PauseFunc})
	return s.t.ask(s.ctx, "setFunctionBreakpoints", raw(args))
}

// goOn lets the process go on, and says whether it does.
func (s *server) goOn(command string, thread int) error {
	var args any = dap.ContinueArguments{ThreadId: thread}
	if command == "configurationDone" {
		args = nil
	}
	_, err := s.t.ask(s.ctx, command, raw(args))
	return err
}

// wait returns the next stop that is wanted. Requests of the client are answered meanwhile.
func (s *server) wait(wanted func(*stop) bool) (*stop, error) {
	s.running = true
	s.idle = idle{on: s.p.Endless()}
	defer func() { s.running = false }()
	for {
		m, err := s.message()
		if err != nil {
			return nil, err
		}
		switch m.Event {
		case "stopped":
			if dies(s.t.pid) { // something has killed it
				s.t.over, s.t.killed = true, true
				return nil, errOver
			}
			st, err := s.look(m)
			if err != nil || wanted(st) {
				return st, err
			}
			if err := s.goOn("continue", st.ThreadId); err != nil {
				return nil, err
			}
		case "terminated":
			return nil, errOver
		default:
			s.show(m)
		}
	}
}

// message returns what delve says next, and answers the client meanwhile.
func (s *server) message() (*message, error) {
	look := time.NewTicker(deadTime / 4)
	defer look.Stop()
	for {
		if k := s.t.kept; len(k) > 0 {
			s.t.kept = k[1:]
			return k[0], nil
		}
		select {
		case <-s.ctx.Done():
			return nil, errGone
		case <-look.C:
			if s.t.dead() {
				return nil, errOver
			}
		case <-s.idle.tick():
			if err := s.pauseIdle(); err != nil {
				return nil, err
			}
		case m, ok := <-s.t.msgs:
			if !ok {
				return nil, errOver
			}
			s.t.note(m)
			return m, nil
		case m := <-s.requests:
			if err := s.request(m); err != nil {
				return nil, err
			}
		}
	}
}

// show gives an event to the client, unless it has seen it in an earlier execution.
func (s *server) show(m *message) {
	if strings.Contains(string(m.Body), "'dlv help'") { // of commands that steps back undo
		return
	}
	switch m.Event {
	case "output", "module", "breakpoint", "invalidated":
		if !s.muted {
			s.client.write(&message{Type: "event", Event: m.Event, Body: s.known(m.Body)})
		}
	}
}

// look finds out where the process has stopped.
func (s *server) look(m *message) (*stop, error) {
	st := new(stop)
	if err := json.Unmarshal(m.Body, &st.StoppedEventBody); err != nil {
		return nil, err
	}
	view, err := s.t.control.Read()
	if err != nil {
		return nil, err
	}
	if st.pause = view.Pause; st.pause != 0 {
		if err := s.t.control.Seen(); err != nil {
			return nil, err
		}
		st.HitBreakpointIds = nil
	}
	s.place = s.place.moved(int(view.Step), st.hit())
	switch st.pause {
	case hw.PauseStep:
		s.place.before = true
	case hw.PauseRace:
		s.place.before = s.p.IsPlace(s.place.step)
	}
	st.shows = s.shows(st)
	return st, nil
}

// shows reports whether a stop shows the finding.
func (s *server) shows(st *stop) bool {
	switch {
	case st.pause != 0 && s.p.Shows(st.pause, s.place.step):
		return true
	case st.pause == hw.PauseRace && s.p.Finding.Kind == "misuse": // seen before the step is begun
		frames, err := s.frames(st.ThreadId, 0)
		if err != nil || len(frames) == 0 {
			return false
		}
		f := &frames[First(frames)]
		return s.p.IsAt(s.name(st.ThreadId), f.Source.Path, f.Line)
	case st.pause == 0 && st.Reason == "exception": // the runtime ends the process
		return s.p.Pauses()&(1<<hw.PauseFail) != 0
	}
	return s.paused(st)
}

// paused reports whether a process has stopped since an endless goroutine was to be stopped.
func (s *server) paused(st *stop) bool {
	return st.pause == 0 && st.Reason == "pause" && s.idle.asked
}

// wanted reports whether the client is to see a stop of an execution that it has let go on.
func (s *server) wanted(st *stop) bool {
	if s.paused(st) && !s.goesOn() {
		s.idle.again()
		return false
	}
	return st.pause != hw.PauseRace || st.shows
}

// goesOn reports whether the goroutine of an endless finding is stopped in the function that goes
// on. It is not while the process was given no processor since its last step, and delve loses the
// function where the goroutine is about to be preempted.
func (s *server) goesOn() bool {
	st := new(stop)
	s.selectFirst(st)
	frames, err := s.frames(st.ThreadId, 0)
	return err != nil || slices.ContainsFunc(frames, func(f dap.StackFrame) bool {
		return s.p.IsIn(s.name(st.ThreadId), f.Source.Path)
	})
}

// arrive tells the client of a stop.
func (s *server) arrive(st *stop) {
	s.stopped, s.thread = *st, st.ThreadId
	st.AllThreadsStopped = true
	s.send("stopped", st.StoppedEventBody)
	if st.Text != "" {
		s.say(st.Text)
	}
}

// explain fills in what the client is told of a stop by heddle's own code.
func (s *server) explain(st *stop) {
	switch st.pause {
	case hw.PauseStep:
		st.Reason, st.Description = "step", s.p.Steps.Name(s.place.step)
		if at, ok := s.p.Steps.At(s.place.step); ok {
			s.selects(st, at.G)
			st.Text = fmt.Sprintf("%s: %s: %s at %s", st.Description, at.G, at.What, spot(at.File, at.Line))
		}
	case hw.PauseEnd:
		st.Reason, st.Description = "pause", "the execution is over"
		last, _ := s.p.Steps.At(s.place.step)
		st.Text = fmt.Sprintf("the execution is over, after %d steps", last.Number)
	}
	if !st.shows && (st.pause == 0 || !s.place.same(s.wrong)) {
		return
	}
	s.wrong = s.place
	st.Reason, st.Description, st.Text = "exception", s.p.Finding.Kind, s.p.Summary()
	if st.pause == hw.PauseEnd || s.p.Endless() {
		s.selectFirst(st)
	}
}

// selectFirst selects the first goroutine of the finding that is left: none runs.
func (s *server) selectFirst(st *stop) {
	for _, p := range s.p.Finding.CorePlaces() {
		if s.selects(st, p.Goroutine) {
			return
		}
	}
}

// selects makes the goroutine of a name the one of a stop, and reports whether there is one.
func (s *server) selects(st *stop, name string) bool {
	view, err := s.t.control.Read()
	if err != nil {
		return false
	}
	for id, n := range view.Names() {
		if n == name {
			st.ThreadId = int(id)
			return true
		}
	}
	return false
}

// reach ends a request that let the execution go on: it tells where that came to.
func (s *server) reach(st *stop, err error) error {
	switch {
	case err == errOver:
		if s.t.killed {
			s.say("the process of the test was killed; restart the session to begin again")
		}
		s.send("terminated", dap.TerminatedEventBody{})
		return nil
	case err != nil:
		return err
	}
	s.explain(st)
	if err := s.aim(); err != nil {
		return err
	}
	s.arrive(st)
	return nil
}

// again executes again, up to the pause before step n or, for n 0, to its end. hits > 0: up to the
// hits-th breakpoint that is hit; hits < 0: breakpoints are only counted. It returns how many were
// hit, and in which step the last.
func (s *server) again(n, hits int) (st *stop, count, last int, err error) {
	s.muted = true
	defer func() { s.muted = false }()
	s.t.end()
	if err := s.begin(); err != nil {
		return nil, 0, 0, err
	}
	if err := s.t.control.Stop(n); err != nil {
		return nil, 0, 0, err
	}
	if hits != 0 {
		if err := s.install(); err != nil {
			return nil, 0, 0, err
		}
	}
	if err := s.goOn("configurationDone", 0); err != nil {
		return nil, 0, 0, err
	}
	st, err = s.wait(func(st *stop) bool {
		if st.hit() {
			count, last = count+1, s.place.step
			return count == hits
		}
		return st.pause == hw.PauseEnd || st.pause == hw.PauseStep && s.place.step == n
	})
	if err == nil && hits == 0 {
		err = s.install()
	}
	return st, count, last, err
}

// goTo goes to the pause before step n: forwards in the same process, where a breakpoint may stop
// it, backwards in a new one.
func (s *server) goTo(n int) (*stop, error) {
	if n <= s.place.step {
		st, _, _, err := s.again(n, 0)
		return st, err
	}
	if err := s.t.control.Stop(n); err != nil {
		return nil, err
	}
	return s.move("continue", s.thread)
}

// move lets the process go on, to the next stop that the client wants to see.
func (s *server) move(command string, thread int) (*stop, error) {
	if err := s.goOn(command, thread); err != nil {
		return nil, err
	}
	return s.wait(s.wanted)
}
