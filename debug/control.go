package debug

import (
	"encoding/binary"
	"fmt"
	"os"

	"heddle/rt/wire"
)

// A Control is the debug file of one process (package wire).
type Control struct {
	Path string
	f    *os.File
	mem  []byte
	view *wire.DebugView
}

// NewControl makes a debug file.
func NewControl(path string) (*Control, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(int64(wire.DebugSize)); err != nil {
		f.Close()
		return nil, err
	}
	mem := make([]byte, wire.DebugSize)
	return &Control{path, f, mem, wire.DebugViewOf(mem)}, nil
}

// Close closes the file.
func (c *Control) Close() error { return c.f.Close() }

// Read returns what the process has written last. It is overwritten by the next Read.
func (c *Control) Read() (*wire.DebugView, error) {
	if _, err := c.f.ReadAt(c.mem[:wire.DebugHeader], 0); err != nil {
		return nil, err
	}
	if int(c.view.Rows) > len(c.view.Goroutines) {
		return nil, fmt.Errorf("%s: %d goroutines, want %d at most", c.Path, c.view.Rows,
			len(c.view.Goroutines))
	}
	end := wire.DebugRoom(int(c.view.Rows))
	if _, err := c.f.ReadAt(c.mem[wire.DebugHeader:end], wire.DebugHeader); err != nil {
		return nil, err
	}
	return c.view, nil
}

// Stop has the process pause before step n; 0: before none.
func (c *Control) Stop(n int) error {
	return c.put(wire.DebugStopAt, binary.NativeEndian.AppendUint64(nil, uint64(n)))
}

// Pauses says for what the process pauses: bits as in wire.DebugState.
func (c *Control) Pauses(pauses uint32) error {
	return c.put(wire.DebugPausesAt, binary.NativeEndian.AppendUint32(nil, pauses))
}

// Whole has the process number whole steps of the schedule, not events.
func (c *Control) Whole() error {
	return c.put(wire.DebugWholeAt, binary.NativeEndian.AppendUint32(nil, 1))
}

// Seen forgets why the process paused.
func (c *Control) Seen() error { return c.put(wire.DebugPauseAt, make([]byte, 4)) }

func (c *Control) put(at int64, b []byte) error {
	_, err := c.f.WriteAt(b, at)
	return err
}
