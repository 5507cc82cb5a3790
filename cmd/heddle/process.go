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
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"heddle/rt/wire"
	"heddle/trace"
)

// A process is one run of a test binary: configuration in, records out.
type process struct {
	path   string
	dir    string
	args   []string
	config wire.Config
	launch launch
	// limit is how long it may take; extend adds to that for every test that begins.
	limit, extend time.Duration
	// stall is how long one test may take without a choice of the scheduler or the end of an
	// execution; 0: for ever.
	stall time.Duration

	// stdout and stderr get what the binary prints too, if not nil. hush: only what one execution
	// prints.
	stdout, stderr io.Writer
	hush           bool

	// items is what a worker reads Items from; nil: it is none.
	items *os.File

	// begins, if not nil, is told the name of the crash file, which the binary makes.
	begins func(crashFile string)

	// looked, if not nil, is told what the program has looked at outside of the process.
	looked func(*wire.Looks)
	// record is called with each record, from one goroutine.
	record func(*wire.Record)
	// ahead, if not nil, is called before that with all records that have come in the meantime.
	ahead func([]*wire.Record)
	// unlink gives files of modules the names that the user knows.
	unlink func(text []byte) []byte
}

// An outcome says how a test binary ended.
type outcome struct {
	path     string // of the binary
	done     bool   // it said that it was through
	exited   bool   // and that it ends by os.Exit
	err      error  // of the process; nil for exit status 0
	timedOut bool   // it was killed for taking too long
	stalled  bool   // it was killed because nothing happened in it
	looped   bool   // but that it used the processor
	idle     bool   // nothing happened in it for a while when it was killed
	output   string // beginning and end of what it wrote to standard output and error
	crash    wire.CrashInfo
	trace    *trace.Trace // what was executed when it died, if that is known
	input    []string     // and with which input, see wire.Request.Input
}

// grace is how long a process may take to end after it was asked to.
const grace = 3 * time.Second

// run runs the binary to its end. The error is for what keeps it from being run at all.
func (b *process) run(ctx context.Context) (*outcome, error) {
	tmp, err := os.MkdirTemp("", "heddle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	b.config.CrashFile = filepath.Join(tmp, "crash")
	if b.begins != nil {
		b.begins(b.config.CrashFile)
	}
	inherits := !b.launch.windows() // the descriptors of the pipes
	var grows *os.File              // instead
	if !inherits {
		b.config.RecordFile = filepath.Join(tmp, "records")
		if grows, err = os.OpenFile(b.config.RecordFile, os.O_RDONLY|os.O_CREATE, 0o600); err != nil {
			return nil, err
		}
		defer grows.Close()
	}
	if b.hush && inherits {
		b.config.PrintFile = filepath.Join(tmp, "printed")
	}
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
	line := append(append(slices.Clone(b.launch.prefix), b.path), b.args...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), wire.Env+"="+configFile, "PWD="+b.dir)
	if inherits {
		cmd.ExtraFiles = []*os.File{w}
	}
	if b.items != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, b.items)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if b.stdout != nil {
		cmd.Stdout, cmd.Stderr = io.MultiWriter(out, b.stdout), io.MultiWriter(out, b.stderr)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	err = cmd.Start()
	w.Close()
	if b.items != nil {
		b.items.Close()
	}
	if err != nil {
		return nil, b.launch.explain(err)
	}
	res := &outcome{path: b.path}
	pulse := &pulse{file: b.config.CrashFile, waits: b.items != nil,
		cpu: func() time.Duration { return cpuTime(cmd.Process.Pid) + cpuWait(cmd.Process.Pid) }}
	var idle atomic.Bool
	clock := newWatch(b.limit, func() {
		idle.Store(pulse.still() > idleAfter)
		// The dump of goroutines that SIGQUIT brings says where it hung.
		quit(cmd.Process)
		time.AfterFunc(grace, func() { cmd.Process.Kill() })
	})
	read, ended := make(chan struct{}), make(chan struct{})
	var records io.Reader = lateReader{r}
	if !inherits {
		records = growing{grows, ended}
	}
	go func() {
		defer close(read)
		b.read(records, res, clock)
	}()
	stalled := make(chan bool, 1)
	go func() { stalled <- pulse.watch(b.stall, ended, clock.fire) }()
	res.err = cmd.Wait()
	close(ended)
	res.stalled = <-stalled
	res.looped = pulse.busy
	// A process that the tests left behind may keep the pipe open.
	r.SetReadDeadline(time.Now().Add(grace))
	<-read
	res.timedOut = clock.stop()
	if b.looked != nil && !res.done {
		b.looked(&wire.Looks{Beyond: "a process died that has not told all"})
	}
	res.idle = idle.Load()
	if !res.done && b.config.PrintFile != "" {
		if f, err := os.Open(b.config.PrintFile); err == nil { // where it said why it died
			io.Copy(out, f)
			f.Close()
		}
	}
	res.output = string(b.unlink([]byte(out.String())))
	if !res.done {
		if mem, err := os.ReadFile(b.config.CrashFile); err == nil {
			res.crash, _ = wire.ReadCrash(mem)
			res.trace, res.input = wire.CrashTrace(mem), wire.CrashInput(mem)
		}
	}
	return res, nil
}

// A lateReader goes on to read what is there after the deadline: its reader may
// have been busy with what came before.
type lateReader struct{ r *os.File }

func (l lateReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		l.r.SetReadDeadline(time.Now().Add(lateRead))
		n, err = l.r.Read(p)
	}
	return n, err
}

// lateRead is how long what is there may take to be read.
const lateRead = 200 * time.Millisecond

// A growing reads a file to which a process appends, until that has ended.
type growing struct {
	f     *os.File
	ended <-chan struct{}
}

func (g growing) Read(p []byte) (int, error) {
	for {
		if n, err := g.f.Read(p); n > 0 || err != io.EOF {
			return n, err
		}
		select {
		case <-g.ended:
			return g.f.Read(p)
		case <-time.After(growingEvery):
		}
	}
}

// growingEvery is how often a file is looked at that grows.
const growingEvery = 10 * time.Millisecond

// read passes records on until they end. The process never waits for what is done with them.
func (b *process) read(r io.Reader, res *outcome, clock *watch) {
	came := newBacklog()
	go func() {
		defer came.end()
		in := bufio.NewReaderSize(r, 64<<10)
		for {
			line, err := in.ReadBytes('\n')
			if len(bytes.TrimSpace(line)) > 0 {
				rec := new(wire.Record)
				if json.Unmarshal(b.unlink(line), rec) == nil { // a line cut off by a crash is not one
					if rec.Type == "begin" {
						clock.extend(b.extend)
					}
					came.add(rec)
				}
			}
			if err != nil {
				return
			}
		}
	}()
	for recs := came.all(); recs != nil; recs = came.all() {
		if b.ahead != nil {
			b.ahead(recs)
		}
		for _, rec := range recs {
			if rec.Looks != nil && b.looked != nil {
				b.looked(rec.Looks)
			}
			switch rec.Type {
			case "done":
				res.done = true
			case "exit":
				res.exited = true
			}
			b.record(rec)
		}
	}
}

// A backlog holds records that have come and were not looked at yet.
type backlog struct {
	mu    sync.Mutex
	more  *sync.Cond
	recs  []*wire.Record
	ended bool
}

func newBacklog() *backlog {
	l := new(backlog)
	l.more = sync.NewCond(&l.mu)
	return l
}

func (l *backlog) add(rec *wire.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recs = append(l.recs, rec)
	l.more.Signal()
}

func (l *backlog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.more.Signal()
}

// all waits for records and returns those that have come; nil: no more will.
func (l *backlog) all() []*wire.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.recs) == 0 && !l.ended {
		l.more.Wait()
	}
	recs := l.recs
	l.recs = nil
	return recs
}

// why describes how a process ended that did not end well.
func (o *outcome) why() string {
	if o.stalled {
		return "nothing happened in it any more and it was ended"
	}
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

// A pulse looks into the crash file, where the binary notes every choice of
// its scheduler, and knows how long ago something happened.
type pulse struct {
	file string

	cpu   func() time.Duration // processor time used or waited for so far
	waits bool                 // between executions it may wait for the next
	busy  bool                 // set by watch: it used the processor while nothing happened

	mu      sync.Mutex
	since   time.Time     // the last sign of life
	used    time.Duration // of the processor by then
	chose   time.Time     // the last choice
	begun   time.Time     // when the running execution was first seen
	longest time.Duration // of the executions that are over
	last    moment
}

// A moment is how far a binary has come.
type moment struct {
	info    wire.CrashInfo
	choices uint32
	beats   uint32 // signs of life between choices
}

// idleAfter is how long a binary may do nothing when its time is over and yet count as busy.
const idleAfter = 2 * time.Second

// watch looks until ended is closed. When nothing has happened for too long, it
// calls end and reports true: for the time stall (0: for ever), or four times as
// long as any execution before took; for loopFactor times as long where the processor was
// used, and for busyFactor times as long where there were signs of life but no choice, and between
// two executions where it does nothing at all.
func (p *pulse) watch(stall time.Duration, ended <-chan struct{}, end func()) bool {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	p.look()
	for {
		select {
		case <-ended:
			return false
		case <-tick.C:
		}
		p.look()
		if stall > 0 && p.hangs(stall) {
			end()
			return true
		}
	}
}

// How much longer than do nothing at all an execution may use the processor
// without a sign of life, and compute without a choice.
const (
	loopFactor = 3
	busyFactor = 12
)

func (p *pulse) hangs(stall time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		return false
	}
	stall = max(stall, 4*p.longest)
	still := time.Since(p.since)
	if still <= stall {
		p.busy = time.Since(p.chose) > busyFactor*stall // it computes, on and on
		return p.busy
	}
	total := p.cpu() // 0 where the system does not say
	used := total - p.used
	if !p.last.info.Running {
		return still > busyFactor*stall && total > 0 && used < still/100
	}
	p.busy = used > still/4
	return !p.busy || still > loopFactor*stall
}

func (p *pulse) look() {
	var head [wire.CrashHeader]byte
	if f, err := os.Open(p.file); err == nil {
		f.ReadAt(head[:], 0) // what cannot be read is as it was before
		f.Close()
	}
	info, _ := wire.ReadCrash(head[:])
	counts := wire.CrashCountsOf(head[:])
	now := moment{info, counts.Steps, counts.Beats}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.info != p.last.info || now.choices != p.last.choices || !info.Running {
		p.chose = time.Now()
	}
	if now.info != p.last.info || p.begun.IsZero() {
		if p.last.info.Running {
			p.longest = max(p.longest, time.Since(p.begun))
		}
		p.begun = time.Now()
	}
	if now != p.last || !info.Running && (p.waits || info.Test == "") {
		p.last, p.since, p.used = now, time.Now(), p.cpu()
	}
}

// still returns for how long nothing has happened within an execution.
func (p *pulse) still() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		return 0
	}
	return time.Since(p.since)
}

// A watch calls f once, when the time is over or fire is called.
type watch struct {
	mu       sync.Mutex
	f        func()
	timer    *time.Timer
	deadline time.Time
	over     bool // f was called, or must not be any more
	timedOut bool
}

// newWatch starts a watch; d 0 means that only fire ends it.
func newWatch(d time.Duration, f func()) *watch {
	w := &watch{f: f}
	if d > 0 {
		w.deadline = time.Now().Add(d)
		w.timer = time.AfterFunc(d, func() {
			if w.end(true) {
				f()
			}
		})
	}
	return w
}

// end reports whether the watch was running; late: it ends because the time is over.
func (w *watch) end(late bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := !w.over
	w.over = true
	w.timedOut = w.timedOut || was && late
	return was
}

// fire calls f now.
func (w *watch) fire() {
	if w.end(false) {
		w.f()
	}
}

// extend moves the end.
func (w *watch) extend(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil && !w.over && d > 0 {
		w.deadline = w.deadline.Add(d)
		w.timer.Reset(time.Until(w.deadline))
	}
}

// stop ends the watch and reports whether the time was over before.
func (w *watch) stop() bool {
	w.end(false)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	return w.timedOut
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
