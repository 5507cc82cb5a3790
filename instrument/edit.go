package instrument

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// A buffer is a source text with edits by byte offset. Expressions nest, and so do edits. Text is
// inserted before or after a node. The buffer records the other end of the node, to distinguish
// nested nodes that begin or end at one offset:
//
//   - of two insertions before one offset, the later one stands further out: "a(" then "b(" gives
//     "b(a(";
//   - the same holds after an offset: ")" then "]" gives ")]";
//   - text after an offset (the end of a node) stands before text before the same offset (the start
//     of the next);
//   - Render gives the text of a node with the edits of the nodes inside it only;
//   - Replace discards the edits inside its range; to keep them, Render the parts first and put
//     them into the new text.
type buffer struct {
	src   []byte
	at    []int // offsets with an edit, sorted
	edits map[int]*edit
	marks []int // offsets in the source whose output positions are marked, see Compare
}

// An edit is all that happens at one offset, in the order of the fields.
type edit struct {
	after, before []insert
	replaced      bool
	end           int // end of the range that text replaces
	text          string
}

// An insert is text before or after a node. It has the node's other end.
type insert struct {
	other int
	text  string
}

func newBuffer(src []byte) *buffer { return &buffer{src: src, edits: map[int]*edit{}} }

func (b *buffer) edit(off int) *edit {
	if e := b.edits[off]; e != nil {
		return e
	}
	i := sort.SearchInts(b.at, off)
	b.at = slices.Insert(b.at, i, off)
	e := &edit{}
	b.edits[off] = e
	return e
}

// Before inserts s before the node from start to end.
func (b *buffer) Before(start, end int, s string) {
	e := b.edit(start)
	e.before = slices.Insert(e.before, 0, insert{end, s})
}

// After inserts s after the node from start to end.
func (b *buffer) After(start, end int, s string) {
	e := b.edit(end)
	e.after = append(e.after, insert{start, s})
}

// Replace replaces the text from start to end (start < end) by s and discards the edits in
// between.
func (b *buffer) Replace(start, end int, s string) {
	i := sort.SearchInts(b.at, start)
	j := i
	for j < len(b.at) && b.at[j] <= end {
		e := b.edits[b.at[j]]
		switch b.at[j] {
		case start:
			e.before = slices.DeleteFunc(e.before, func(x insert) bool { return x.other <= end })
			j++
		case end:
			e.after = slices.DeleteFunc(e.after, func(x insert) bool { return x.other >= start })
			j++
		default:
			delete(b.edits, b.at[j])
			b.at = slices.Delete(b.at, j, j+1)
		}
	}
	e := b.edit(start)
	e.replaced, e.end, e.text = true, end, s
}

// Touched reports whether the node from start to end has an edit.
func (b *buffer) Touched(start, end int) bool {
	marks := b.marks
	b.marks = nil
	defer func() { b.marks = marks }()
	return b.Render(start, end) != string(b.src[start:end])
}

// Render returns the edited text of the node from start to end.
func (b *buffer) Render(start, end int) string {
	var out strings.Builder
	pos := start
	for i := sort.SearchInts(b.at, start); i < len(b.at) && b.at[i] <= end; i++ {
		off := b.at[i]
		if off < pos {
			continue // replaced
		}
		e := b.edits[off]
		b.copy(&out, pos, off)
		pos = off
		if off > start {
			for _, x := range e.after {
				if off < end || x.other >= start {
					out.WriteString(x.text)
				}
			}
		}
		if off < end {
			for _, x := range e.before {
				if off > start || x.other <= end {
					out.WriteString(x.text)
				}
			}
			if e.replaced {
				out.WriteString(e.text)
				pos = e.end
			}
		}
	}
	if pos < end {
		b.copy(&out, pos, end)
	}
	return out.String()
}

// copy writes the source text from start to end unchanged, with marks.
func (b *buffer) copy(out *strings.Builder, start, end int) {
	for i := sort.SearchInts(b.marks, start); i < len(b.marks) && b.marks[i] < end; i++ {
		out.Write(b.src[start:b.marks[i]])
		out.WriteString(markAt(b.marks[i]))
		start = b.marks[i]
	}
	out.Write(b.src[start:end])
}

// Bytes returns the whole edited text.
func (b *buffer) Bytes() []byte { return []byte(b.Render(0, len(b.src))) }

// newlines returns the line ends in the text from start to end, to keep line numbers where that
// text is dropped.
func (b *buffer) newlines(start, end int) string {
	if start >= end {
		return ""
	}
	return strings.Repeat("\n", bytes.Count(b.src[start:end], []byte("\n")))
}
