// Package dap serves the Debug Adapter Protocol for a clip. Delve does the work on one process;
// this package stands between delve and the client, and adds what follows from the order being the
// clip's: goroutines by heddle's names, stops where the execution goes wrong, steps by operations,
// and steps back, which are executions up to an earlier step.
package dap

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/google/go-dap"

	"heddle/debug"
)

// A server serves one client.
type server struct {
	p        *debug.Program
	client   *wire
	requests chan *message
	ctx      context.Context // ends with the client

	t          *target
	init       json.RawMessage            // arguments of the client's initialize request
	attributes map[string]any             // of its launch or attach request
	bps        map[string]json.RawMessage // by path of the source: arguments of setBreakpoints
	functions  []dap.FunctionBreakpoint
	data       json.RawMessage // arguments of setDataBreakpoints

	place   position
	wrong   position // where it goes wrong; its step is 0 where that was not seen yet
	muted   bool     // an execution up to an earlier step: the client does not see it
	running bool     // until the next stop
	idle    idle
	thread  int  // the goroutine of the last stop
	stopped stop // the last one that the client was told of
}

// Serve talks to a client until it disconnects or ctx ends. No process is left then.
func Serve(ctx context.Context, p *debug.Program, c io.ReadWriter) error {
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	s := &server{p: p, client: newWire(c), ctx: ctx, bps: map[string]json.RawMessage{},
		requests: make(chan *message, 100)}
	go s.listen(gone)
	defer func() {
		if s.t != nil {
			s.t.end()
		}
	}()
	return s.serve()
}

// listen reads what the client asks, until it goes away.
func (s *server) listen(gone func()) {
	defer gone()
	for {
		m, err := s.client.read()
		if err != nil {
			return
		}
		if m.Command == "disconnect" || m.Command == "terminate" { // whatever is under way
			s.reply(m, nil)
			s.send("terminated", dap.TerminatedEventBody{})
			return
		}
		select {
		case s.requests <- m:
		case <-s.ctx.Done():
			return
		}
	}
}

// serve is the loop over requests. Those that let the execution go on return when it has stopped,
// see wait.
func (s *server) serve() error {
	for {
		select {
		case <-s.ctx.Done():
			return nil
		case m := <-s.requests:
			if err := s.request(m); err != nil {
				return done(err)
			}
		}
	}
}

// done returns err unless it says that the client is gone.
func done(err error) error {
	if err == errGone {
		return nil
	}
	return err
}

// send sends an event to the client.
func (s *server) send(event string, body any) {
	s.client.write(&message{Type: "event", Event: event, Body: s.known(raw(body))})
}

// known gives files in a message the names that the user knows.
func (s *server) known(text json.RawMessage) json.RawMessage {
	if s.p.Unlink == nil || text == nil {
		return text
	}
	return s.p.Unlink(text)
}

// reply answers a request.
func (s *server) reply(m *message, body any) {
	yes := true
	s.client.write(&message{Type: "response", Command: m.Command, RequestSeq: m.Seq, Success: &yes,
		Body: s.known(raw(body))})
}

// refuse answers a request that cannot be done.
func (s *server) refuse(m *message, err error) {
	no := false
	body := dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: err.Error(), ShowUser: true}}
	s.client.write(&message{Type: "response", Command: m.Command, RequestSeq: m.Seq, Success: &no,
		Message: err.Error(), Body: raw(body)})
}

// pass gives a request to delve and its response to the client.
func (s *server) pass(m *message) error {
	r, err := s.t.ask(s.ctx, m.Command, m.Arguments)
	if r == nil {
		return err
	}
	r.RequestSeq, r.Body = m.Seq, s.known(r.Body)
	_, err = s.client.write(r)
	return err
}

// say shows text in the client's console.
func (s *server) say(text string) {
	s.send("output", dap.OutputEventBody{Category: "console", Output: strings.TrimSuffix(text, "\n") + "\n"})
}
