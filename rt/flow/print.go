package flow

import "heddle/rt/hook"

// What is printed goes to the reader of the output, and back into the program by no way but methods
// of its own that are called for it (String, Error, Format, GoString, Write). So how the standard
// library formats it, which asks about every byte of a text, is no branch of the program.

// OutPrint is Out before a call of a function that prints, and returns.
func OutPrint[T any](v T, l Label, c *Call) T {
	Out(0, l, c)
	if c.on && Exprs {
		Running().prints = true
	}
	return v
}

// Own is what a method of the program's begins with that may be called to print something: from
// here on it is not the standard library that is at work. write: it is given what is printed, which
// is not followed.
func Own(write bool) {
	if Exprs && here() && Running().prints {
		Running().prints = false
		if write {
			lost()
		}
	}
}

// Prints reports whether package fmt prints something as it calls a method of the program's.
func Prints(_, _, _ int, _, _ Label, _ hook.Site, to *Slot) bool {
	to.l = 0
	return Exprs && here() && Running().prints
}

// PrintsAgain returns what the method returned, with the label l: fmt is at work again, which
// printed before if prints is set.
func PrintsAgain(prints bool, s string, _ int, l, _ Label, _ hook.Site, to *Slot) string {
	if to.l = l; prints && Exprs && here() {
		Running().prints = true
	}
	return s
}

// printing reports whether the running goroutine is in the standard library to print something.
func printing() bool {
	if !Exprs || !hook.Here() {
		return false
	}
	g := Running()
	return g.prints || g.summed
}

// Summed is the last argument of a call whose result has a label by itself: how the result is made
// is no branch. Sprintf ends that.
func Summed[T any](v T) T {
	if Exprs && here() {
		Running().summed = true
	}
	return v
}
