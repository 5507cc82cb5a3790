// Package decoded knows what a program decoded, and from which texts: of values of those types
// other texts can be made that it decodes without an error.
package decoded

import (
	"bytes"
	"io"
	"reflect"
	"unsafe"
)

// A Call is one or more values that were decoded one after the other from one text.
type Call struct {
	Format string
	Encode func(values []any) ([]byte, error) // of each a pointer
	Decode func(text []byte, values []any) error
	Types  []reflect.Type // of the values

	Text  []byte
	Known bool // that this is the text; else it is not known where it comes from
	by    any
}

// mostCalls is how many calls of an execution are kept, and mostValues how many values of each.
const (
	mostCalls  = 64
	mostValues = 4
)

// Calls are those of an execution.
type Calls []Call

// Add adds a call, or its value to the call before it by the same decoder: a value is decoded to
// what to points to, or to the elements of a slice, from c.Text and from what a reader has behind
// that.
func (cs *Calls) Add(c Call, by, from, to any) {
	var t reflect.Type
	switch v := reflect.ValueOf(to); v.Kind() {
	case reflect.Pointer:
		t = v.Type().Elem()
	case reflect.Slice:
		t = reflect.ArrayOf(v.Len(), v.Type().Elem())
	default:
		return
	}
	for i := range *cs {
		if before := &(*cs)[i]; by != nil && before.by == by {
			if len(before.Types) < mostValues {
				before.Types = append(before.Types, t)
			}
			return
		}
	}
	if len(*cs) == mostCalls {
		return
	}
	text, known := rest(from)
	c.Text, c.Known = append(bytes.Clone(c.Text), text...), known
	c.Types, c.by = []reflect.Type{t}, by
	*cs = append(*cs, c)
}

// Take returns the calls and forgets them. What they were decoded by is not kept.
func (cs *Calls) Take() []Call {
	calls := *cs
	for i := range calls {
		calls[i].by = nil
	}
	*cs = nil
	return calls
}

// rest returns what a reader has, without reading from it; false: that is not known.
func rest(r any) (text []byte, known bool) {
	if r == nil {
		return nil, true
	}
	if l, ok := r.(*io.LimitedReader); ok {
		text, known = rest(l.R)
		return text[:min(len(text), int(l.N))], known
	}
	// The program's packages bytes and strings are not those that heddle uses.
	t, p := reflect.TypeOf(r), reflect.ValueOf(r).UnsafePointer
	switch t.String() {
	case "*bytes.Reader":
		r := (*struct {
			s []byte
			i int64
		})(p())
		return r.s[min(int(r.i), len(r.s)):], true
	case "*strings.Reader":
		r := (*struct {
			s string
			i int64
		})(p())
		s := r.s[min(int(r.i), len(r.s)):]
		return unsafe.Slice(unsafe.StringData(s), len(s)), true
	case "*bytes.Buffer":
		r := (*struct {
			buf []byte
			off int
		})(p())
		return r.buf[min(r.off, len(r.buf)):], true
	}
	return nil, false
}
