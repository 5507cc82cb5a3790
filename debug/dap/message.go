package dap

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/google/go-dap"
)

// A message is any message of the protocol. What this package does not look into stays text.
type message struct {
	Seq        int             `json:"seq"`
	Type       string          `json:"type"` // "request", "response", "event"
	Command    string          `json:"command,omitempty"`
	Event      string          `json:"event,omitempty"`
	RequestSeq int             `json:"request_seq,omitempty"`
	Success    *bool           `json:"success,omitempty"`
	Message    string          `json:"message,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Body       json.RawMessage `json:"body,omitempty"`
}

// ok reports whether a response says that its request succeeded.
func (m *message) ok() bool { return m.Success != nil && *m.Success }

// failure returns what a response says against its request.
func (m *message) failure() error {
	if m.ok() {
		return nil
	}
	var body dap.ErrorResponseBody
	if json.Unmarshal(m.Body, &body) == nil && body.Error != nil && body.Error.Format != "" {
		return fmt.Errorf("%s", body.Error.Format)
	}
	return fmt.Errorf("%s failed: %s", m.Command, m.Message)
}

// A wire is one end of a connection.
type wire struct {
	in  *bufio.Reader
	mu  sync.Mutex
	out io.Writer
	seq int
}

func newWire(c io.ReadWriter) *wire { return &wire{in: bufio.NewReader(c), out: c} }

// read returns the next message.
func (w *wire) read() (*message, error) {
	text, err := dap.ReadBaseMessage(w.in)
	if err != nil {
		return nil, err
	}
	m := new(message)
	return m, json.Unmarshal(text, m)
}

// write sends a message and returns its number.
func (w *wire) write(m *message) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq++
	m.Seq = w.seq
	text, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	return m.Seq, dap.WriteBaseMessage(w.out, text)
}

// raw returns v as JSON. v is a type of the protocol, or made of such.
func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
