package engine

import (
	"time"

	"heddle/symbolic"
)

// solvers answer questions, each in a goroutine of its own. What the answer is does not depend on
// what else is asked.
type solvers struct {
	n    int // how many they are
	busy int // questions that were given to them and not collected
	work chan *turn
	done chan *turn
}

func newSolvers(n int) *solvers {
	s := &solvers{n: n, work: make(chan *turn, n), done: make(chan *turn, n)}
	for range n {
		go func() {
			var w symbolic.Worker
			for t := range s.work {
				w.Work(t.question)
				s.done <- t
			}
		}()
	}
	return s
}

// full reports whether each of them has a question.
func (s *solvers) full() bool { return s.busy == s.n }

// give gives a turn's question to a solver; one must be free.
func (s *solvers) give(t *turn) {
	s.busy++
	s.work <- t
}

// collect waits for an answer until something else has come, and returns the turn that has it, or
// nil.
func (s *solvers) collect(come func() bool) (t *turn) {
	for s.busy > 0 && t == nil {
		select {
		case t = <-s.done:
		default:
			if come() {
				return nil
			}
			select {
			case t = <-s.done:
			case <-time.After(time.Millisecond):
			}
		}
	}
	if t != nil {
		s.busy--
	}
	return t
}

// close ends the solvers, when they have answered what they were asked.
func (s *solvers) close() { close(s.work) }

func always() bool { return true }
