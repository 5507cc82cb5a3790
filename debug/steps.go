package debug

import "fmt"

// A Step is one event of an execution, as a row of the table of heddle replay.
type Step struct {
	Number int    // in that table; the events of one step have one number, 0: none
	G      string // the goroutine: "main/1"
	Op     string // "read"
	What   string // "read s.n = 0"
	Object string // what the source calls it: "s.n"; "" where it has no name
	ID     int    // equal for operations on one object; 0: none
	File   string
	Line   int
	Source string // the line
	Switch bool   // another goroutine would have gone on without the clip
	Inside bool   // inside the standard library or a dependency, so no place to stop at
}

// stops reports whether a debugger may stop before the step: its goroutine has code of the program
// on its stack then.
func (s *Step) stops() bool {
	return !s.Inside && s.Op != "start" && s.Op != "end" && s.G != "timers" && s.File != ""
}

// Steps are those of an execution. Step n is at index n-1. Methods that look for a step return 0
// if there is none.
type Steps []Step

// At returns step n.
func (s Steps) At(n int) (Step, bool) {
	if n < 1 || n > len(s) {
		return Step{}, false
	}
	return s[n-1], true
}

// Name says which step the user knows as step n: "step 7", or "in step 7" for a later event of it.
func (s Steps) Name(n int) string {
	st, _ := s.At(n)
	if before, ok := s.At(n - 1); ok && before.Number == st.Number {
		return fmt.Sprintf("in step %d", st.Number)
	}
	return fmt.Sprintf("step %d", st.Number)
}

// Numbered returns the first step with a number of the table, and the highest number there is.
func (s Steps) Numbered(number int) (n, last int) {
	for i := range s {
		if n == 0 && s[i].Number == number && number > 0 {
			n = i + 1
		}
		last = max(last, s[i].Number)
	}
	return n, last
}

// Before returns the last step before n that a debugger may stop at.
func (s Steps) Before(n int) int {
	for n = min(n, len(s)+1) - 1; n > 0; n-- {
		if s[n-1].stops() {
			return n
		}
	}
	return 0
}

// after returns the first step after n that is as wanted.
func (s Steps) after(n int, wanted func(*Step) bool) int {
	for n = max(n, 0) + 1; n <= len(s); n++ {
		if st := &s[n-1]; st.stops() && wanted(st) {
			return n
		}
	}
	return 0
}

// After returns the next step.
func (s Steps) After(n int) int { return s.after(n, func(*Step) bool { return true }) }

// From returns step n, or the first one after it that a debugger may stop at where n has no code of
// the program on its stack. If there is none it returns n.
func (s Steps) From(n int) int {
	at, ok := s.At(n)
	if !ok || at.stops() || at.Inside {
		return n
	}
	return max(n, s.After(n))
}

// Of returns the next step of goroutine g.
func (s Steps) Of(g string, n int) int {
	return s.after(n, func(st *Step) bool { return st.G == g })
}

// Switched returns the next step by another goroutine than the step before it.
func (s Steps) Switched(n int) int {
	at, ok := s.At(max(n, 1))
	if !ok {
		return 0
	}
	last := at.G
	for k := max(n, 1) + 1; k <= len(s); k++ {
		if st := &s[k-1]; st.G != last && st.stops() {
			return k
		}
	}
	return 0
}

// Access returns the next step that is about the object called name. If step n is about an object
// of that name it is that one.
func (s Steps) Access(name string, n int) int {
	id := 0
	if at, ok := s.At(n); ok && at.Object == name {
		id = at.ID
	}
	return s.after(n, func(st *Step) bool {
		return st.Object == name && (id == 0 || st.ID == id)
	})
}

// Has reports whether a step is about an object called name.
func (s Steps) Has(name string) bool {
	return name != "" && s.after(0, func(st *Step) bool { return st.Object == name }) > 0
}
