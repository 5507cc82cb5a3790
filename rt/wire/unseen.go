package wire

import (
	"fmt"
	"path/filepath"

	"heddle/trace"
)

// An Unseen is a trace.Unseen for another process.
type Unseen struct {
	Code trace.UnseenCode
	What string `json:",omitempty"` // the function that was called, or what started goroutines
	File string `json:",omitempty"` // where it was called
	Line int    `json:",omitempty"`
}

// String says what was not seen, and where.
func (u Unseen) String() string {
	at := ""
	if u.File != "" {
		at = fmt.Sprintf(", called at %s:%d,", filepath.Base(u.File), u.Line)
	}
	place := ""
	if u.File != "" {
		place = fmt.Sprintf(" at %s:%d", filepath.Base(u.File), u.Line)
	}
	switch u.Code {
	case trace.UnseenForeign:
		return fmt.Sprintf("goroutines share memory that is not Go's (from C, or mapped), which is not checked for data races,%s", place)
	case trace.UnseenCollected:
		return fmt.Sprintf("garbage was collected between two accesses that may race, the later%s", place)
	case trace.UnseenBeside:
		return "goroutines from before the test, or of packages that heddle does not rewrite, live beside it, started by " + u.What
	case trace.UnseenRoom:
		return fmt.Sprintf("packets that wait in a UDP socket may be too large for its buffer together, so that Linux would drop some,%s", place)
	case trace.UnseenDraw:
		return fmt.Sprintf("of the values that are drawn at random the first 32 are varied, later ones come from a seed,%s", place)
	case trace.UnseenMemory:
		return fmt.Sprintf("%s%s is not rewritten: what it does to memory that other goroutines use at the same time is not seen", u.What, at)
	case trace.UnseenState:
		return fmt.Sprintf("%s%s uses what other goroutines may change or see, and is no scheduling point", u.What, at)
	}
	return fmt.Sprintf("something was not seen (%d)", u.Code)
}
