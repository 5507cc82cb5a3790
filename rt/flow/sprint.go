package flow

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// Sprintf is r, the text that fmt.Sprintf makes of numbers, conditions and strings. nil stands for
// an argument of another kind, which has no label. The label of r goes to to.
func Sprintf(r, format string, at hook.Site, to *Slot, args ...*Val) string {
	if to.l = 0; !Exprs || !here() {
		return r
	}
	Running().summed = false
	labelled := false
	for _, a := range args {
		labelled = labelled || a != nil && (a.l != 0 || a.k == 0 && a.labelled())
	}
	if !labelled {
		return r
	}
	w := text{r: r, at: at}
	if !w.format(format, args) || len(w.out) != len(r) {
		noteLost(at)
		return r
	}
	for i, x := range w.out {
		if x.c != r[i] {
			noteLost(at)
			return r
		}
	}
	to.l = w.l
	return spell(w.out)
}

// A text is what is made of a format.
type text struct {
	r    string
	out  []letter
	l    Label // of the whole
	at   hook.Site
	last *Val // a string that can grow, which nothing may follow
}

func (w *text) add(ls ...letter) {
	if len(ls) > 0 && w.last != nil {
		w.last.fix(w.at) // or they would stand elsewhere
		w.last, w.l = nil, 0
	}
	w.out = append(w.out, ls...)
}

// format adds what the format says. It returns false for what is not followed.
func (w *text) format(f string, args []*Val) bool {
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			w.add(letter{c: f[i]})
			continue
		}
		zeros, left, width := false, false, 0
		for i++; i < len(f) && (f[i] == '0' || f[i] == '-'); i++ {
			zeros, left = zeros || f[i] == '0', left || f[i] == '-'
		}
		for ; i < len(f) && f[i] >= '0' && f[i] <= '9' && width < 1000; i++ {
			width = width*10 + int(f[i]-'0')
		}
		decimals := -1
		if i+1 < len(f) && f[i] == '.' && f[i+1] >= '0' && f[i+1] <= '9' {
			decimals, i = int(f[i+1]-'0'), i+2
		}
		switch {
		case i == len(f):
			return false
		case f[i] == '%':
			w.add(letter{c: '%'})
			continue
		case len(args) == 0:
			return false
		}
		if !w.verb(f[i], args[0], width, decimals, zeros, left, f[i+1:]) {
			return false
		}
		args = args[1:]
	}
	return len(args) == 0
}

// verb adds an argument.
func (w *text) verb(c byte, a *Val, width, decimals int, zeros, left bool, rest string) bool {
	base := map[byte]uint64{'d': 10, 'v': 10, 'x': 16, 'o': 8, 'b': 2}[c]
	switch {
	case a != nil && a.k.Float():
		if a.l == 0 {
			return w.other(rest)
		}
		if c != 'f' && c != 'F' || width > 0 {
			return false
		}
		ls, ok := a.fixed(nil, decimals, w.at)
		w.add(ls...)
		return ok
	case decimals >= 0:
		return (a == nil || a.l == 0 && (a.k != 0 || !a.labelled())) && w.other(rest)
	case a == nil || a.k == 0 && a.l == 0 && !a.labelled() && c != 's' && c != 'v':
		return w.other(rest)
	case a.k == 0: // a string
		if c != 's' && c != 'v' || width > 0 {
			return false
		}
		w.text(a)
		return true
	case a.k == trace.Bool:
		if c != 't' && c != 'v' || width > 0 {
			return false
		}
		condition(a.v == 1, a.l, w.at)
		s := "false"
		if a.v == 1 {
			s = "true"
		}
		w.plain(s)
		return true
	case base == 0:
		return a.l == 0 && w.other(rest)
	}
	w.add(a.spelled(nil, base, width, zeros, left, w.at)...)
	return true
}

func (w *text) plain(s string) {
	for i := range len(s) {
		w.add(letter{c: s[i]})
	}
}

// text adds a string.
func (w *text) text(a *Val) {
	if a.v > 0 || a.l != 0 {
		w.add()
		if w.last != nil {
			w.last.fix(w.at)
			w.last, w.l = nil, 0
		}
	}
	before := uint64(len(w.out))
	for i := range a.v {
		w.out = append(w.out, letter{peek(a.p + uintptr(i)), a.byteAt(i)})
	}
	if a.l != 0 {
		w.last, w.l = a, a.behind(before)
	}
}

// other adds an argument without a label, of which is known how long the text is, if nothing but
// letters follow.
func (w *text) other(rest string) bool {
	for i := range len(rest) {
		if rest[i] == '%' {
			return false
		}
	}
	n := len(w.r) - len(rest) - len(w.out)
	if n < 0 {
		return false
	}
	w.plain(w.r[len(w.out) : len(w.out)+n])
	return true
}

// behind returns the label of a text that ends with v, after n bytes.
func (v *Val) behind(n uint64) Label {
	length := v.length()
	base := F.Nodes[v.l].A
	if v.view() || v.mapped() {
		base = 0
	}
	if base != 0 {
		base = uint32(baseOf(int(F.Nodes[base].A), int32(F.Nodes[base].B)-int32(n)))
	}
	return seq(Label(base), Two1(trace.FlowAdd, trace.Int, &length, n, trace.Int), n+v.v)
}
