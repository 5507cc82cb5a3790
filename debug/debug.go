// Package debug is what a debugger needs of a clip: the steps of its execution, where they lead,
// and the file by which heddle and the test binary talk while that binary is stopped.
//
// The order of goroutines is the clip's, so every execution is the same one. To go to a step,
// forwards or backwards, is to execute up to it. Package debug/dap does that for debuggers,
// debug/term is one in the terminal.
package debug

import (
	"path/filepath"

	"heddle/rt/wire"
)

// A Program is a test binary with the clip that it executes.
type Program struct {
	Binary  string // built for a debugger
	Dir     string // in which it runs
	Args    []string
	Config  wire.Config // without its files
	Steps   Steps       // of the execution
	Whole   bool        // Steps are those of the schedule, not its events: the process died
	Finding *wire.Finding
	GOROOT  string // the standard library is below its src
	// Unlink gives files in text the names that the user knows.
	Unlink func(text []byte) []byte
}

// Summary says in a line what the execution shows.
func (p *Program) Summary() string {
	if p.Finding == nil {
		return "nothing is wrong in this execution"
	}
	return p.Finding.Name()
}

// Pauses returns for what the process is to pause that goes wrong: bits as in wire.DebugState. What
// of it is the finding, Shows says.
func (p *Program) Pauses() uint32 {
	switch {
	case p.Finding == nil:
		return 0
	case p.Finding.Kind == "data race":
		return 1 << wire.PauseRace
	case p.Finding.Kind == "misuse":
		return 1<<wire.PauseRace | 1<<wire.PauseFail
	case p.atEnd(), p.Endless():
		return 0
	}
	return 1 << wire.PauseFail
}

// atEnd reports whether the finding shows when no goroutine goes on.
func (p *Program) atEnd() bool {
	if p.Finding == nil {
		return false
	}
	switch p.Finding.Kind {
	case "deadlock", "leak", "livelock":
		return true
	}
	return false
}

// Shows reports whether a process that pauses in step n shows the finding.
func (p *Program) Shows(pause uint32, n int) bool {
	switch pause {
	case wire.PauseRace:
		return p.IsPlace(n)
	case wire.PauseFail:
		return true
	case wire.PauseEnd:
		return p.atEnd()
	}
	return n == p.WrongStep()
}

// Endless reports whether the finding is that a goroutine goes on without any operation. The
// process cannot pause by itself then.
func (p *Program) Endless() bool { return p.Finding != nil && p.Finding.Kind == "uncontrolled" }

// WrongStep returns the last step at one of the finding's places, by which a pattern of accesses is
// complete; 0 for findings that the execution itself tells of.
func (p *Program) WrongStep() int {
	if p.Finding == nil || p.Finding.Pattern == "" {
		return 0
	}
	for n := p.Steps.Before(len(p.Steps) + 1); n > 0; n = p.Steps.Before(n) {
		if p.IsPlace(n) {
			return n
		}
	}
	return 0
}

// IsPlace reports whether step n stands at one of the finding's places.
func (p *Program) IsPlace(n int) bool {
	s, ok := p.Steps.At(n)
	return ok && p.isPlace(s.G, func(at *wire.Place) bool { return at.File == s.File && at.Line == s.Line })
}

// IsAt reports whether goroutine g, at a line of a file, is at one of the finding's places.
func (p *Program) IsAt(g, file string, line int) bool {
	return p.isPlace(g, func(at *wire.Place) bool {
		return at.Line == line && filepath.Base(at.File) == filepath.Base(file)
	})
}

// IsIn reports whether a file is that of one of the finding's places of goroutine g.
func (p *Program) IsIn(g, file string) bool {
	return p.isPlace(g, func(at *wire.Place) bool { return filepath.Base(at.File) == filepath.Base(file) })
}

func (p *Program) isPlace(g string, matches func(*wire.Place) bool) bool {
	if p.Finding == nil {
		return false
	}
	for _, at := range p.Finding.CorePlaces() {
		if (at.Goroutine == "" || at.Goroutine == g) && matches(&at) {
			return true
		}
	}
	return false
}
