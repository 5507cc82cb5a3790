package dap

import "time"

// An idle watches an execution that ends in a goroutine that goes on without any operation: the
// process does not pause by itself then.
type idle struct {
	on    bool
	since time.Time // all its steps are begun since then; zero: they are not
	asked bool      // delve was asked to stop the process
	tries int       // how often it was, without effect
}

// How often an execution is looked at, and how long a goroutine goes on before it is stopped.
const (
	lookTime = 100 * time.Millisecond
	idleTime = 500 * time.Millisecond
	maxTries = 20
)

// again has the process stopped once more, later, if it was not too often.
func (w *idle) again() {
	if w.tries++; w.tries < maxTries {
		w.since, w.asked = time.Time{}, false
	}
}

// tick returns a channel that is ready when the execution is to be looked at.
func (w *idle) tick() <-chan time.Time {
	if !w.on || w.asked {
		return nil
	}
	return time.After(lookTime)
}

// pauseIdle has delve stop the process if all its steps were begun some time ago.
func (s *server) pauseIdle() error {
	view, err := s.t.control.Read()
	if err != nil {
		return err
	}
	w := &s.idle
	switch {
	case int(view.Step) < len(s.p.Steps):
		w.since = time.Time{}
	case w.since.IsZero():
		w.since = time.Now()
	case time.Since(w.since) > idleTime:
		w.asked = true
		_, err = s.t.wire.write(&message{Type: "request", Command: "pause", Arguments: raw(map[string]int{})})
	}
	return err
}
