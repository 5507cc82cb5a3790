package drive

import (
	"fmt"
	"runtime"

	"heddle/rt/hook"
	"heddle/rt/wire"
)

// toldLooks is what was told of what the program has looked at outside of the process.
type toldLooks struct {
	names  int  // where in hook's names the next ones are
	beyond bool // that there was a look beyond them
}

// looks returns what the program has looked at since it was asked last; nil: nothing.
func (d *driver) looks() *wire.Looks {
	if runtime.NumCgoCall() > 1 { // the first is the runtime's
		hook.FoundBeyond(hook.BeyondForeign)
	}
	noted, end, why := hook.Looked(d.told.names)
	d.told.names = end
	l := &wire.Looks{At: noted}
	if why != 0 && !d.told.beyond {
		d.told.beyond, l.Beyond = true, beyond(why)
	}
	if len(l.At) == 0 && l.Beyond == "" {
		return nil
	}
	return l
}

// beyond says in words what the program has looked at.
func beyond(why uintptr) string {
	switch why {
	case hook.BeyondClock:
		return "it asks for the time outside of tests"
	case hook.BeyondReal:
		return "goroutines or files outside control take part"
	case hook.BeyondRoom:
		return "it looks at too many files"
	case hook.BeyondForeign:
		return "it calls C, or what it looks at is not seen on this system"
	}
	return fmt.Sprintf("it makes system call %d", why)
}

// tellsLooks reports whether a record of that type ends something that a verdict rests on.
func tellsLooks(record string) bool {
	switch record {
	case "share", "isolate", "anew", "end", "worked", "result", "test", "done", "exit":
		return true
	}
	return false
}
