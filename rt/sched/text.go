package sched

import (
	"unsafe"

	"heddle/trace"
)

// texts are those that package unsafe has made of bytes in this execution. What reads a text is not
// announced. So a search that goes by what is read (Options.Plain) is told if such bytes are
// written later.
type texts struct {
	of    map[uintptr]int32 // by word: the text, an index in made
	made  []madeText
	words int
}

type madeText struct {
	text string // so that its memory is not used again
	pc   uintptr
}

// mostTextWords bounds texts.of.
const mostTextWords = 1 << 16

func (t *texts) reset() {
	clear(t.of)
	clear(t.made)
	t.made, t.words = t.made[:0], 0
}

// textMade is hook.TextMade.
func (s *Sched) textMade(text string, pc uintptr) {
	t := &s.texts
	p := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	first, last := p/8, (p+uintptr(len(text))-1)/8
	if !s.opt.Plain || s.ending.on {
		return
	}
	// What was written before is in it. That is no access: a race shows in what reads the text.
	s.notePlain(s.cur, p, uintptr(len(text)), trace.PCSite(pc), false)
	if t.words += int(last - first + 1); t.words > mostTextWords {
		s.textChanged(pc)
		return
	}
	if t.of == nil {
		t.of = map[uintptr]int32{}
	}
	for w := first; w <= last; w++ {
		t.of[w] = int32(len(t.made))
	}
	t.made = append(t.made, madeText{text, pc})
}

// textWritten is told of a write while there are texts.
func (s *Sched) textWritten(p, n uintptr) {
	t := &s.texts
	for w := p / 8; w <= (p+n-1)/8; w++ {
		if i, ok := t.of[w]; ok {
			s.textChanged(t.made[i].pc)
			return
		}
	}
}

func (s *Sched) textChanged(pc uintptr) {
	if len(s.gs) > 2 {
		s.notSeen(trace.Unseen{Code: trace.UnseenState, What: "a text that package unsafe makes of bytes",
			Site: trace.PCSite(pc)})
	}
}
