package dap

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/google/go-dap"
)

// A Client is the other side of the protocol, for the terminal and for tests.
type Client struct {
	w      *wire
	ctx    context.Context
	msgs   chan *message
	Output func(category, text string) // of the program and of heddle; nil: dropped
}

// ErrEnded says that the debug session is over.
var ErrEnded = errors.New("the debug session is over")

// NewClient returns a client that talks over c until ctx ends.
func NewClient(ctx context.Context, c io.ReadWriter) *Client {
	l := &Client{w: newWire(c), ctx: ctx, msgs: make(chan *message, 1000)}
	go func() {
		defer close(l.msgs)
		for {
			m, err := l.w.read()
			if err != nil {
				return
			}
			select {
			case l.msgs <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	return l
}

// next returns the next message that is no output.
func (l *Client) next() (*message, error) {
	for {
		select {
		case <-l.ctx.Done():
			return nil, l.ctx.Err()
		case m, ok := <-l.msgs:
			if !ok {
				return nil, ErrEnded
			}
			if m.Event != "output" {
				return m, nil
			}
			var body dap.OutputEventBody
			if err := json.Unmarshal(m.Body, &body); err == nil && l.Output != nil {
				l.Output(body.Category, body.Output)
			}
		}
	}
}

// Ask sends a request, and fills body, unless nil, from its response.
func (l *Client) Ask(command string, args, body any) error {
	seq, err := l.w.write(&message{Type: "request", Command: command, Arguments: raw(args)})
	if err != nil {
		return err
	}
	for {
		m, err := l.next()
		if err != nil {
			return err
		}
		if m.Type != "response" || m.RequestSeq != seq {
			continue
		}
		if err := m.failure(); err != nil || body == nil {
			return err
		}
		return json.Unmarshal(m.Body, body)
	}
}

// Await returns the next event of a name. The end of the session before it is ErrEnded.
func (l *Client) Await(event string) (body json.RawMessage, err error) {
	for {
		m, err := l.next()
		switch {
		case err != nil:
			return nil, err
		case m.Event == event:
			return m.Body, nil
		case m.Event == "terminated":
			return nil, ErrEnded
		}
	}
}

// Stopped waits for the next stop.
func (l *Client) Stopped() (dap.StoppedEventBody, error) {
	var body dap.StoppedEventBody
	text, err := l.Await("stopped")
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	return body, err
}

// Move sends a request that lets the execution go on, and waits for the next stop.
func (l *Client) Move(command string, args any) (dap.StoppedEventBody, error) {
	if err := l.Ask(command, args, nil); err != nil {
		return dap.StoppedEventBody{}, err
	}
	return l.Stopped()
}

// Start does what comes before the execution begins. The first stop is still to be waited for.
func (l *Client) Start() error {
	if err := l.Ask("initialize", dap.InitializeRequestArguments{ClientID: "heddle", AdapterID: "go",
		PathFormat: "path", LinesStartAt1: true, ColumnsStartAt1: true}, nil); err != nil {
		return err
	}
	return l.Ask("attach", map[string]any{"mode": "remote"}, nil)
}
