package flow

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"heddle/rt/hook"
	"heddle/symbolic"
	"heddle/trace"
)

// An asker records the branches of what a test calls.
type asker struct {
	tr  trace.Trace
	tab *symbolic.Table
	bs  []symbolic.Branch
}

// follow begins an execution with an input, and returns it with its label.
func follow(t *testing.T, input string) (a *asker, s string, l Label) {
	a = &asker{tab: symbolic.NewTable()}
	Reset()
	On, Exprs, hook.On, hook.Cur = true, true, true, 1
	g := &G{}
	Running = func() *G { return g }
	Branched = func(outcome int64, l Label, s hook.Site) {
		a.tr.Events = append(a.tr.Events, trace.Event{Op: trace.OpBranch, Arg: outcome})
		a.tr.Flow.Of = append(a.tr.Flow.Of, l)
	}
	a.tr.Flow = &F
	t.Cleanup(func() {
		On, Exprs, hook.On, hook.Cur, Running, Branched = false, false, false, 0, nil, nil
		Reset()
	})
	b := append([]byte(nil), input...)
	s = string(b)
	return a, s, InputText(0, unsafe.Pointer(unsafe.StringData(s)), len(s))
}

// holds reports whether another input goes the same way at all branches but the last, and at that.
// A last one whose condition was asked before, or is true for all inputs, goes the same way.
func (a *asker) holds(other string) (before, last bool) {
	if a.bs == nil {
		a.bs, _ = symbolic.Branches(a.tab, &a.tr)
	}
	m := a.tab.Near([]any{other})
	for _, b := range a.bs {
		if is := a.tab.Eval(b.Cond, m) != 0; b.Event == len(a.tr.Events)-1 {
			return true, is
		} else if !is {
			return false, false
		}
	}
	return true, true
}

// A summary is one function of package strings, or what stands for it.
type summary struct {
	letters string
	texts   []string // that are longer
	// of calls the summary on s, and asks last whether its result is what it is: go tells whether
	// that of another text is the same
	of func(s string, l Label) (same func(other string) bool, ok bool)
}

// TestSummaries calls each summary on short texts and on random ones, also on what follows the
// first ';' of a text. Its conditions, for all other texts, must say what Go's function does.
func TestSummaries(t *testing.T) {
	var to Slot
	number := func(r int, same func(string) bool) (func(string) bool, bool) {
		if r == NotSought {
			return nil, false
		}
		x := Val{l: to.l, k: trace.Int, v: uint64(int64(r))}
		Branched(1, Two1(trace.FlowEq, trace.Bool, &x, uint64(int64(r)), trace.Int), 0)
		return same, true
	}
	text := func(r string, same func(string) bool) (func(string) bool, bool) {
		var v Val
		Str(r, to.l, 0, &v, 0)
		Branched(1, Texts(trace.FlowEq, &v, Const(strings.Clone(r)), 0), 0)
		return same, true
	}
	ascii := func(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 }
	numeric := func(signs string) func(s string) bool {
		return func(s string) bool {
			if s != "" && strings.IndexByte(signs, s[0]) >= 0 {
				s = s[1:]
			}
			return s != "" && strings.Trim(s, "0123456789") == ""
		}
	}
	fold := func(with string) summary {
		return summary{"aAkKzZ1\x80", []string{"\u212a", "ak\u212a", "ſ"},
			func(s string, l Label) (func(string) bool, bool) {
				r := Fold(0, s, with, l, 0, 0, &to)
				return number(r, func(o string) bool { return strings.EqualFold(o, with) == (r == 1) })
			}}
	}
	mapped := func(from byte, lower bool) summary {
		var table [256]byte
		for i := range table {
			if table[i] = byte(i); byte(i) >= from && byte(i) < from+26 {
				table[i] ^= 0x20
			}
		}
		change := strings.ToUpper
		if lower {
			change = strings.ToLower
		}
		return summary{"aAzZ@[`{1", nil, func(s string, l Label) (func(string) bool, bool) {
			r := Mapped(0, s, string(table[:]), l, 0, 0, &to)
			return text(r, func(o string) bool { return !ascii(o) || change(o) == r })
		}}
	}
	is := func(signs string) summary {
		return summary{"09+-/:a", []string{"12345678", "123456789", "-12345678", "1234567890", "+0000000",
			"12345x789"},
			func(s string, l Label) (func(string) bool, bool) {
				r := Numeric(0, s, signs, l, 0, 0, &to)
				return number(r, func(o string) bool { return numeric(signs)(o) == (r == 1) })
			}}
	}
	decimal := func(signs string) summary {
		return summary{"059+-", []string{"12345678", "999999999", "-99999999", "00000123", "-0"},
			func(s string, l Label) (func(string) bool, bool) {
				if !numeric(signs)(s) || len(s) > mostNumeric {
					return nil, false
				}
				valid := Numeric(0, s, signs, l, 0, 0, &to)
				x := Val{l: to.l, k: trace.Int, v: uint64(valid)}
				Branched(1, Two1(trace.FlowEq, trace.Bool, &x, 1, trace.Int), 0)
				r := Decimal(0, s, signs, l, 0, 0, &to)
				return number(r, func(o string) bool {
					n, err := strconv.Atoi(o)
					return err == nil && n == r
				})
			}}
	}
	spaced := func(way int) summary {
		decode := utf8.DecodeRuneInString
		if way == 1 {
			decode = utf8.DecodeLastRuneInString
		}
		size := func(s string) int {
			if r, n := decode(s); r >= 0x80 && unicode.IsSpace(r) {
				return n
			}
			return 0
		}
		return summary{"a \x85\xa0\xc2\xe2\x80\x89", []string{"\u1680", "a\u2028", "\u2029b", "\u202f",
			"x\u205f", "\u3000", "\u3001", "\u180e", "\u200b", "\xc2\xc2\x85", "\x85\xa0", "\xe1\x9a"},
			func(s string, l Label) (func(string) bool, bool) {
				r := Spaced(way, s, "", l, 0, 0, &to)
				return number(r, func(o string) bool { return size(o) == r })
			}}
	}
	for name, x := range map[string]summary{
		"fold ak": fold("ak"), "fold Z1": fold("Z1"), "fold": fold(""), "lower": mapped('A', true),
		"upper": mapped('a', false), "number": is("+-"), "digits": is(""), "decimal": decimal("+-"),
		"decimal without sign": decimal(""), "begins with a space": spaced(0), "ends with a space": spaced(1),
	} {
		t.Run(name, func(t *testing.T) { x.check(t) })
	}
}

func (x *summary) check(t *testing.T) {
	r := rand.New(rand.NewPCG(1, uint64(len(x.letters))))
	text := func() string {
		if len(x.texts) > 0 && r.IntN(3) == 0 {
			return x.texts[r.IntN(len(x.texts))]
		}
		b := make([]byte, r.IntN(5))
		for i := range b {
			b[i] = x.letters[r.IntN(len(x.letters))]
		}
		return string(b)
	}
	asked, compared, both := 0, 0, [2]int{}
	for n := range 200 {
		behind := n%2 == 1 // of what follows the first ';'
		input, rest := text(), ""
		if behind {
			input, rest = text()+";", input
		}
		a, s, l := follow(t, input+rest)
		if behind {
			s, l = afterSemicolon(s, l)
		}
		same, ok := x.of(s, l)
		if !ok {
			continue
		}
		asked++
		for range 60 {
			other := text()
			whole := other
			if behind {
				whole = text() + ";" + other
			}
			before, last := a.holds(whole)
			if !before {
				continue
			}
			compared++
			if want := same(other); last != want {
				t.Fatalf("as %q was: of %q it is said %v, want %v", input+rest, whole, last, want)
			} else if want {
				both[0]++
			} else {
				both[1]++
			}
		}
	}
	if asked < 50 || compared < 1000 || both[0] < 50 || both[1] < 50 {
		t.Errorf("%d asked, %d compared, %v the same and not: too few", asked, compared, both)
	}
}

// afterSemicolon returns what follows the first ';' of a text, with its label.
func afterSemicolon(s string, l Label) (string, Label) {
	var to Slot
	i := Find(findFirst, s, ";", l, 0, 0, &to)
	var v Val
	Str(s, l, 0, &v, 0)
	at := Val{l: to.l, k: trace.Int, v: uint64(i)}
	once(Two1(trace.FlowLess, trace.Bool, &at, 0, trace.Int), i < 0, 0)
	lo := at.does(trace.FlowAdd, Val{k: trace.Int, v: 1})
	return s[i+1:], Cut(&v, &lo, nil, 0, -1, 0)
}
