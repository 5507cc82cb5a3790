package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"heddle/cluster"
	"heddle/rt/wire"
)

// A workProcess is a test binary in Mode work.
type workProcess struct {
	in      *os.File               // Items
	crash   atomic.Pointer[string] // its crash file; nil: it has not begun
	results chan *wire.Worked
	ended   chan struct{} // closed when it has ended; then the next two are set
	res     *outcome
	err     error // that kept it from being run
}

// startWork starts a worker by b, which Mode and pipes are added to.
func startWork(ctx context.Context, b *process) *workProcess {
	p := &workProcess{results: make(chan *wire.Worked, 1), ended: make(chan struct{})}
	r, w, err := os.Pipe()
	if err != nil {
		p.err = err
		close(p.ended)
		return p
	}
	p.in = w
	b.config.Mode, b.config.Clips, b.config.Share = "work", nil, 0
	b.items = r
	b.begins = func(crashFile string) { p.crash.Store(&crashFile) }
	b.record = func(rec *wire.Record) {
		if rec.Type == "worked" && rec.Worked != nil {
			p.results <- rec.Worked
		}
	}
	go func() {
		defer close(p.ended)
		p.res, p.err = b.run(ctx)
	}()
	return p
}

// errDied is returned for an Item in which the worker's process has died.
var errDied = errors.New("the worker's process has died")

// do lets the worker do an Item.
func (p *workProcess) do(it *wire.Item, h *cluster.Hurry) (*wire.Worked, error) {
	line, err := json.Marshal(it)
	if err != nil {
		return nil, err
	}
	if p.in == nil {
		return nil, errDied
	}
	p.hurry(false)
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		<-p.ended
		return nil, errDied
	}
	h.To(func() { p.hurry(true) })
	defer h.To(func() {})
	select {
	case w := <-p.results:
		return w, nil
	case <-p.ended:
	}
	select {
	case w := <-p.results: // the last that it said
		return w, nil
	default:
		return nil, errDied
	}
}

// hurry tells the process that others have nothing to do, or takes that back.
func (p *workProcess) hurry(yes bool) {
	crash := p.crash.Load()
	if crash == nil {
		return
	}
	f, err := os.OpenFile(*crash, os.O_WRONLY, 0)
	if err != nil {
		return // it has not begun, or is over
	}
	defer f.Close()
	b := []byte{0}
	if yes {
		b[0] = 1
	}
	f.WriteAt(b, wire.CrashHurry)
}

// close lets the process end.
func (p *workProcess) close() {
	p.in.Close()
	<-p.ended
}

// killed reports whether something else ended the process.
func (o *outcome) killed() bool {
	if o.stalled || o.timedOut || o.err == nil {
		return false
	}
	var exit interface{ Sys() any }
	if errors.As(o.err, &exit) {
		ws, ok := exit.Sys().(syscall.WaitStatus)
		return ok && ws.Signaled() && (ws.Signal() == syscall.SIGKILL || ws.Signal() == syscall.SIGTERM ||
			ws.Signal() == syscall.SIGINT)
	}
	return false
}

// workers are the worker processes of a package that have nothing to do.
type workers struct {
	ctx   context.Context // of the processes
	adapt func(*process)  // makes an ordinary one what they are; nil: they are
	mu    sync.Mutex
	idle  []*workProcess
}

// newWorkers returns none. When ctx is done they are asked to give back what they have, and killed
// a while later.
func newWorkers(ctx context.Context) *workers {
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(grace, kill) })
	return &workers{ctx: life}
}

// get returns one that is alive, nil if there is none.
func (w *workers) get() *workProcess {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.idle) > 0 {
		p := w.idle[len(w.idle)-1]
		w.idle = w.idle[:len(w.idle)-1]
		select {
		case <-p.ended:
		default:
			return p
		}
	}
	return nil
}

// start starts one, by what an ordinary one is started by.
func (w *workers) start(b *process) *workProcess {
	if w.adapt != nil {
		w.adapt(b)
	}
	return startWork(w.ctx, b)
}

func (w *workers) put(p *workProcess) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = append(w.idle, p)
}

// close ends them all.
func (w *workers) close() {
	for p := w.get(); p != nil; p = w.get() {
		p.close()
	}
}
