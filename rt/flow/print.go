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

// printing reports whether the running goroutine is in the standard library to print something.
func printing() bool { return Exprs && hook.Here() && Running().prints }
