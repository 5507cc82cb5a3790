package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"heddle/rt/wire"
)

// A binary is one run of a test binary: configuration in, records out.
type binary struct {
	path   string
	dir    string
	args   []string
	config wire.Config
	// limit is how long it may take; extend adds to that for every test that begins.
	limit, extend time.Duration

	// record is called with each record, from one goroutine.
	record func(*wire.Record)
}

// An outcome says how a test binary ended.
type outcome struct {
	done     bool   // it said that it was through
	err      error  // of the process; nil for exit status 0
	timedOut bool   // it was killed for taking too long
	output   string // beginning and end of what it wrote to standard output and error
	crash    wire.CrashInfo
}

// grace is how long a process may take to end after it was asked to.
const grace = 3 * time.Second

// run runs the binary to its end. The error is for what keeps it from being run at all.
func (b *binary) run(ctx context.Context) (*outcome, error) {
	tmp, err := os.MkdirTemp("", "heddle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	b.config.CrashFile = filepath.Join(tmp, "crash")
	data, err := json.Marshal(&b.config)
	if err != nil {
		return nil, err
	}
	configFile := filepath.Join(tmp, "config.json")
	if err := os.WriteFile(configFile, data, 0o666); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out := new(excerpt)
	cmd := exec.CommandContext(ctx, b.path, b.args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), wire.Env+"="+configFile, "PWD="+b.dir)
	cmd.ExtraFiles = []*os.File{w}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	err = cmd.Start()
	w.Close()
	if err != nil {
		return nil, err
	}
	res := new(outcome)
	clock := newWatch(b.limit, func() {
		// The dump of goroutines that SIGQUIT brings says where it hung.
		cmd.Process.Signal(syscall.SIGQUIT)
		time.Sleep(grace)
		cmd.Process.Kill()
	})
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(r, res, clock)
	}()
	res.err = cmd.Wait()
	// A process that the tests left behind may keep the pipe open.
	r.SetReadDeadline(time.Now().Add(grace))
	<-read
	res.timedOut = clock.stop()
	res.output = out.String()
	if mem, err := os.ReadFile(b.config.CrashFile); err == nil {
		res.crash, _, _ = wire.ReadCrash(mem)
	}
	return res, nil
}

// read passes records on until the pipe closes.
func (b *binary) read(r io.Reader, res *outcome, clock *watch) {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			rec := new(wire.Record)
			if json.Unmarshal(line, rec) == nil { // a line cut off by a crash is not one
				switch rec.Type {
				case "begin":
					clock.extend(b.extend)
				case "done":
					res.done = true
				}
				b.record(rec)
			}
		}
		if err != nil {
			return
		}
	}
}

// why describes how a process ended that did not end well.
func (o *outcome) why() string {
	if o.timedOut {
		return "it took too long (-timeout) and was ended"
	}
	var exit *exec.ExitError
	if errors.As(o.err, &exit) {
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return "it was ended by signal: " + ws.Signal().String()
		}
		return exit.Error()
	}
	if o.err != nil {
		return o.err.Error()
	}
	return "exit status 0"
}

// A watch calls f once, when the time is over.
type watch struct {
	mu       sync.Mutex
	timer    *time.Timer
	deadline time.Time
	fired    bool
}

// newWatch starts a watch; d 0 means never.
func newWatch(d time.Duration, f func()) *watch {
	w := new(watch)
	if d <= 0 {
		return w
	}
	w.deadline = time.Now().Add(d)
	w.timer = time.AfterFunc(d, func() {
		w.mu.Lock()
		w.fired = true
		w.mu.Unlock()
		f()
	})
	return w
}

func (w *watch) extend(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil && !w.fired && d > 0 {
		w.deadline = w.deadline.Add(d)
		w.timer.Reset(time.Until(w.deadline))
	}
}

// stop ends the watch and reports whether it fired.
func (w *watch) stop() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	return w.fired
}

// An excerpt keeps the beginning and the end of what is written to it: tests
// that print do so in every execution.
type excerpt struct {
	mu         sync.Mutex
	head, tail []byte
	lost       int
}

const excerptSize = 32 << 10

func (e *excerpt) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(p)
	if free := excerptSize - len(e.head); free > 0 {
		k := min(free, len(p))
		e.head, p = append(e.head, p[:k]...), p[k:]
	}
	e.tail = append(e.tail, p...)
	if over := len(e.tail) - excerptSize; over > excerptSize {
		e.lost += over
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
	return n, nil
}

func (e *excerpt) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lost == 0 {
		return string(e.head) + string(e.tail)
	}
	return fmt.Sprintf("%s\n... %d bytes left out ...\n%s", e.head, e.lost, e.tail)
}

// tailLines returns the last n lines of s.
func tailLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
