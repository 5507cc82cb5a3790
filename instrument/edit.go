package instrument

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// A buffer is a source text with edits by byte offset. Expressions nest, so
// edits do too. Text is put before or after a node, and the buffer keeps where
// the node ends or starts, so that a smaller node at the same place can still
// be told from a larger one:
//
//   - what is put before an offset later stands further out: "a(" then "b(" gives "b(a(";
//   - what is put after an offset later stands further out too: ")" then "]" gives ")]";
//   - text after an offset (the end of a node) stands before text before the same offset (the start of the next);
//   - Render gives the text of a node with the edits of nodes inside it only;
//   - Replace swallows the edits inside its range; to keep them, Render the parts first and put them into the new text.
type buffer struct {
	src   []byte
	at    []int // offsets with an edit, sorted
	edits map[int]*edit
	marks []int // offsets that get a mark where they come out: see Compare
}

// An edit is everything that happens at one offset, in the order of its fields.
type edit struct {
	after, before []insert
	replaced      bool
	end           int // of the range replaced by text
	text          string
}

// An insert is text before or after a node whose other end is known.
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

// Before puts s before the node from start to end.
func (b *buffer) Before(start, end int, s string) {
	e := b.edit(start)
	e.before = slices.Insert(e.before, 0, insert{end, s})
}

// After puts s after the node from start to end.
func (b *buffer) After(start, end int, s string) {
	e := b.edit(end)
	e.after = append(e.after, insert{start, s})
}

// Replace puts s in the place of the text from start to end (start < end), whatever was edited in there.
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

// Touched reports whether there is an edit in a node from start to end.
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

// copy writes the text from start to end as it is in the source, with marks.
func (b *buffer) copy(out *strings.Builder, start, end int) {
	for i := sort.SearchInts(b.marks, start); i < len(b.marks) && b.marks[i] < end; i++ {
		out.Write(b.src[start:b.marks[i]])
		out.WriteString(markAt(b.marks[i]))
		start = b.marks[i]
	}
	out.Write(b.src[start:end])
}

// Bytes returns the whole text, edited.
func (b *buffer) Bytes() []byte { return []byte(b.Render(0, len(b.src))) }

// newlines returns the line ends of the text from start to end, to be kept where that text is dropped.
func (b *buffer) newlines(start, end int) string {
	if start >= end {
		return ""
	}
	return strings.Repeat("\n", bytes.Count(b.src[start:end], []byte("\n")))
}
