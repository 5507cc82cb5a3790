package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/go-delve/delve/pkg/logflags"
	"github.com/go-delve/delve/service"
	delve "github.com/go-delve/delve/service/dap"
	"github.com/go-delve/delve/service/debugger"
	"github.com/google/go-dap"

	"heddle/debug"
	hw "heddle/rt/wire"
)

// A target is one process of the test binary under delve, with a session of delve's own server. It
// lives from the beginning of an execution until that is over or left.
type target struct {
	files   *debug.Files
	control *debug.Control
	conn    net.Conn
	wire    *wire
	msgs    chan *message // from delve; closed at the end
	kept    []*message    // events that came while a response was waited for
	pid     int
	over    bool // the process has ended
	killed  bool // by something else than delve and the client, see dead
	diedAt  time.Time
	session *delve.Session
	served  chan struct{} // closed when the session is over
}

// errGone says that the client went away, or that the command is to end.
var errGone = errors.New("the debugger's client is gone")

// errOver says that the process has ended.
var errOver = errors.New("the execution is over")

// newTarget starts delve's server. The process is started by launch.
func newTarget(p *debug.Program) (*target, error) {
	if err := logflags.Setup(false, "", ""); err != nil {
		return nil, err
	}
	files, err := p.NewFiles()
	if err != nil {
		return nil, err
	}
	ours, its := net.Pipe()
	t := &target{files: files, control: files.Control, conn: ours, wire: newWire(ours),
		msgs: make(chan *message, 1000), served: make(chan struct{})}
	left := make(chan struct{}, 1)
	t.session = delve.NewSession(its, &delve.Config{
		Config:        &service.Config{DisconnectChan: left, Debugger: debugger.Config{Backend: "default"}},
		StopTriggered: make(chan struct{}),
	}, nil)
	go func() {
		defer close(t.served)
		t.session.ServeDAPCodec()
	}()
	go t.pump()
	return t, nil
}

// pump reads what delve says.
func (t *target) pump() {
	defer close(t.msgs)
	for {
		m, err := t.wire.read()
		if err != nil {
			return
		}
		t.msgs <- m
	}
}

// launch starts the process, stopped before it does anything. The client's attributes count as far
// as they say how things are shown.
func (t *target) launch(ctx context.Context, p *debug.Program, init json.RawMessage,
	attributes map[string]any) error {
	args := map[string]any{}
	for _, name := range []string{"stackTraceDepth", "maxStringLen", "maxArrayValues",
		"showGlobalVariables", "showRegisters", "substitutePath", "showRawStrings"} {
		if v, ok := attributes[name]; ok {
			args[name] = v
		}
	}
	args["mode"], args["program"], args["args"], args["cwd"] = "exec", p.Binary, p.Args, p.Dir
	args["env"] = map[string]string{hw.Env: t.files.Config, "PWD": p.Dir}
	args["outputMode"] = "remote"
	if _, err := t.ask(ctx, "initialize", init); err != nil {
		return err
	}
	if _, err := t.ask(ctx, "launch", raw(args)); err != nil {
		return fmt.Errorf("%w%s", err, advice())
	}
	_, err := t.event(ctx, "initialized")
	return err
}

// next returns what delve says next.
func (t *target) next(ctx context.Context) (*message, error) {
	look := time.NewTicker(deadTime / 4)
	defer look.Stop()
	for {
		select {
		case m, ok := <-t.msgs:
			if !ok {
				t.over = true
				return nil, errOver
			}
			t.note(m)
			return m, nil
		case <-look.C:
			if t.dead() {
				return nil, errOver
			}
		case <-ctx.Done():
			return nil, errGone
		}
	}
}

// deadTime is how long delve may take to notice that the process has died. When something else
// kills the process at a stop, delve waits for it for ever.
const deadTime = 2 * time.Second

// dead reports whether the process has been dead for that long.
func (t *target) dead() bool {
	switch {
	case t.pid == 0 || !died(t.pid):
		t.diedAt = time.Time{}
	case t.diedAt.IsZero():
		t.diedAt = time.Now()
	case time.Since(t.diedAt) > deadTime:
		t.over, t.killed = true, true
	}
	return t.killed
}

// died reports whether a process is dead: it is gone, or delve has not waited for it yet. It
// reports false where the system does not say.
func died(pid int) bool { return strings.Contains("ZX", stateOf(pid, "?")) }

// dies reports whether a process that delve says it has stopped is about to end: it is not stopped.
func dies(pid int) bool { return !strings.Contains("tT", stateOf(pid, "t")) }

// stateOf returns the state of a process, as ps(1) has it: "X" if it is gone, or unknown where the
// system does not say.
func stateOf(pid int, unknown string) string {
	if runtime.GOOS != "linux" {
		return unknown
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return "X"
	}
	_, rest, _ := strings.Cut(string(text), ") ") // after the name
	if rest == "" {
		return unknown
	}
	return rest[:1]
}

// note keeps what an event says of the process.
func (t *target) note(m *message) {
	switch m.Event {
	case "process":
		var body dap.ProcessEventBody
		if json.Unmarshal(m.Body, &body) == nil {
			t.pid = body.SystemProcessId
		}
	case "terminated", "exited":
		t.over = true
	}
}

// ask sends a request and returns the response to it; events that come meanwhile are kept.
func (t *target) ask(ctx context.Context, command string, args json.RawMessage) (*message, error) {
	seq, err := t.wire.write(&message{Type: "request", Command: command, Arguments: args})
	if err != nil {
		return nil, err
	}
	for {
		m, err := t.next(ctx)
		if err != nil {
			return nil, err
		}
		if m.Type == "response" && m.RequestSeq == seq {
			return m, m.failure()
		}
		t.kept = append(t.kept, m)
	}
}

// event waits for an event; others that come before it are kept.
func (t *target) event(ctx context.Context, name string) (*message, error) {
	for i, m := range t.kept {
		if m.Event == name {
			t.kept = append(t.kept[:i:i], t.kept[i+1:]...)
			return m, nil
		}
	}
	for {
		m, err := t.next(ctx)
		if err != nil {
			return nil, err
		}
		if m.Event == name {
			return m, nil
		}
		t.kept = append(t.kept, m)
	}
}

// killTime is how long delve may take to end the process.
const killTime = 5 * time.Second

// end ends the process and the session, and removes its files. It may be called in any state.
func (t *target) end() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		t.session.Close()
		<-t.served
	}()
	late := time.NewTimer(killTime)
	defer late.Stop()
wait:
	for msgs := t.msgs; ; {
		select {
		case _, ok := <-msgs: // delve may be about to say something
			if !ok {
				msgs = nil
			}
		case <-closed:
			break wait
		case <-late.C:
			t.kill()
			break wait
		}
	}
	t.conn.Close()
	t.files.Remove()
}

// kill ends the process without delve.
func (t *target) kill() {
	if t.pid == 0 {
		return
	}
	if p, err := os.FindProcess(t.pid); err == nil {
		p.Kill()
	}
}
