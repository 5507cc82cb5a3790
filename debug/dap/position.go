package dap

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
)

// A position is where an execution is.
type position struct {
	step   int  // that was begun last
	before bool // it is about to be performed: the process pauses there
	hits   int  // breakpoints hit since it was begun
	at     bool // the last of them is where the process is
}

// next returns the step that comes next.
func (p position) next() int {
	if p.before {
		return p.step
	}
	return p.step + 1
}

// same reports whether p and q are the same moment, as far as steps go.
func (p position) same(q position) bool { return p.step == q.step && p.before == q.before }

// precedes reports whether p is an earlier moment than q, as far as steps go.
func (p position) precedes(q position) bool { return p.next() < q.next() }

// moved returns the position when a process has stopped in step n; hit: at a breakpoint.
func (p position) moved(n int, hit bool) position {
	q := position{step: n, at: hit}
	if n == p.step {
		q.hits = p.hits
	}
	if hit {
		q.hits++
	}
	return q
}

// earlier returns how many breakpoints were hit in the step begun last, but for the one at which
// the process is.
func (p position) earlier() int {
	if p.at {
		return p.hits - 1
	}
	return p.hits
}

// spot is a place for a reader.
func spot(file string, line int) string { return filepath.Base(file) + ":" + strconv.Itoa(line) }

// compareNames orders goroutines by their place in the tree of go statements.
func compareNames(a, b string) int {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for i := 0; i < min(len(as), len(bs)); i++ {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if c := cmp.Or(cmp.Compare(x, y), strings.Compare(as[i], bs[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}
