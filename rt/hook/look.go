package hook

import "unsafe"

// What the program under test looks at outside of its process: environment variables and files that
// it only reads are noted by their names. All else, such as another process or the clock, is not
// known to be the same next time: Beyond says that there was such a look. The command keeps no
// verdict of a test then, and else only together with what the names stood for.
//
// Package syscall tells, from code that may not grow its stack and may have no processor of the
// runtime's: the names are kept in a fixed array, and what does not fit is beyond.

// The kinds of names.
const (
	LookEnv    = 'e' // a variable; LookAll stands for all of them
	LookFile   = 'f' // a file or folder, relative to the folder in which the process was started
	LookAll    = "*"
	lookedRoom = 32 << 10
)

// Why a look is beyond: the number of a system call, or one of these.
const (
	BeyondClock   = 1<<20 + iota // the real time
	BeyondReal                   // goroutines or files outside control took part in an execution
	BeyondRoom                   // the names take too much room
	BeyondForeign                // C code, or a system whose calls are not looked at
)

var (
	own    uintptr // the g of heddle's own code in the process; 0: none runs
	beyond uintptr // the first of them; 0: none
	names  struct {
		busy uint32
		n    int
		text [lookedRoom]byte // of each its kind, its text and 0
	}
)

// Own says that the calling goroutine is heddle's own from now on, and returns what OwnAgain needs.
func Own() (before uintptr) {
	before, own = own, getg()
	return before
}

// OwnAgain ends what Own began.
func OwnAgain(before uintptr) { own = before }

// Beyond notes that the calling goroutine, if it is the program's, looks at what is not noted.
//
//go:nosplit
func Beyond(why uintptr) {
	if getg() != own {
		FoundBeyond(why)
	}
}

// FoundBeyond notes the same of a look that heddle has found out about.
//
//go:nosplit
func FoundBeyond(why uintptr) {
	if beyond == 0 {
		beyond = why
	}
}

// Look notes that the calling goroutine, if it is the program's, looks at a variable or a file: the
// n bytes at p, or those up to a 0 where n is negative.
//
//go:nosplit
func Look(kind byte, p unsafe.Pointer, n int) {
	if getg() == own {
		return
	}
	for !take(&names.busy) {
	}
	if n < 0 {
		for n = 0; n < lookedRoom && *(*byte)(unsafe.Add(p, n)) != 0; n++ {
		}
	}
	if !lookedAt(kind, p, n) {
		if end := names.n + n + 2; end <= lookedRoom {
			names.text[names.n] = kind
			for i := range n {
				names.text[names.n+1+i] = *(*byte)(unsafe.Add(p, i))
			}
			names.text[end-1] = 0
			names.n = end
		} else {
			FoundBeyond(BeyondRoom)
		}
	}
	give(&names.busy)
}

// lookedAt reports whether a name is among those that are noted.
//
//go:nosplit
func lookedAt(kind byte, p unsafe.Pointer, n int) bool {
	for i := 0; i < names.n; {
		j := 0
		if names.text[i] == kind {
			for j < n && names.text[i+1+j] == *(*byte)(unsafe.Add(p, j)) && names.text[i+1+j] != 0 {
				j++
			}
			if j == n && names.text[i+1+n] == 0 {
				return true
			}
		}
		for i += 1 + j; names.text[i] != 0; i++ {
		}
		i++
	}
	return false
}

// Looked returns the names that were noted after the first from bytes of them, where the next ones
// will be, and why there was a look beyond; 0: there was none.
func Looked(from int) (noted []string, end int, why uintptr) {
	for !take(&names.busy) {
	}
	text := string(names.text[from:names.n])
	end = names.n
	give(&names.busy)
	for len(text) > 0 {
		i := 0
		for text[i] != 0 {
			i++
		}
		noted, text = append(noted, text[:i]), text[i+1:]
	}
	return noted, end, beyond
}

// AtExit, if not nil, is called when the process ends by os.Exit.
var AtExit func()
