// Package question is what can be asked of all executions of a test at once: is
// there a moment at which these things are so (Kähkönen, Saarikivi, Heljanko,
// section 4.6)?
//
//	bank.go:21@main/1 && bank.go:22@main/2    two places at once
//	x == 0 && y == 1                          values of variables
//	acct.balance + fee > 2*limit              sums of them
//
// A place stands for: somebody, or the goroutine of that name, is about to do an
// operation that stands there (to begin at its go statement is none); two places in one question are two goroutines. A
// variable is called as the source does at the operations on it: x, s.count.
package question

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Question holds at a moment if all its terms do.
type Question struct {
	Text  string
	Terms []Term
}

// A Term says where somebody is (At), or how a sum of variables relates to a value.
type Term struct {
	At        *Place `json:",omitempty"`
	Goroutine string `json:",omitempty"` // who it is; "": anybody

	Sum      []Summand `json:",omitempty"`
	Relation string    `json:",omitempty"` // ==, !=, <, <=, >, >=
	Number   int64     `json:",omitempty"`
	Text     string    `json:",omitempty"` // of one variable that is no number: what it is compared with, as printed
}

// A Place is a line. Sites are the instrumented sites that stand there, once they are known.
type Place struct {
	File  string
	Line  int
	Sites []uint64 `json:",omitempty"`
}

// A Summand is a variable so many times. Where are the operations on it, once they are known.
type Summand struct {
	Times int64
	Name  string
	Where []Place `json:",omitempty"` // File is "" where only Sites count
}

var (
	and      = regexp.MustCompile(`\s*&&?\s*`)
	place    = regexp.MustCompile(`^([^\s:@]+\.go):([1-9][0-9]*)(?:@([a-z]+(?:/[0-9]+)*))?$`)
	relation = regexp.MustCompile(`==|!=|<=|>=|<|>`)
	summand  = regexp.MustCompile(`^\s*([-+]?)\s*(?:([0-9]+)\s*\*\s*)?([\pL_][\pL_0-9.\[\]]*|[0-9]+)`)
)

// Parse reads a question; the error says which of its terms it does not understand.
func Parse(text string) (*Question, error) {
	q := &Question{Text: strings.TrimSpace(text)}
	for _, part := range and.Split(q.Text, -1) {
		t, err := parseTerm(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", part, err)
		}
		q.Terms = append(q.Terms, t)
	}
	return q, nil
}

func parseTerm(text string) (t Term, err error) {
	if m := place.FindStringSubmatch(text); m != nil {
		line, err := strconv.Atoi(m[2])
		return Term{At: &Place{File: m[1], Line: line}, Goroutine: m[3]}, err
	}
	at := relation.FindStringIndex(text)
	if at == nil {
		return t, errors.New("want a place such as bank.go:21 or bank.go:21@main/1, or a comparison such as x == 0")
	}
	t.Relation = text[at[0]:at[1]]
	var number int64
	if t.Sum, number, err = parseSum(text[:at[0]]); err != nil {
		return t, err
	}
	right := strings.TrimSpace(text[at[1]:])
	switch {
	case right == "true" || right == "false":
		t.Number = -number
		if right == "true" {
			t.Number++
		}
	case right == "nil" || strings.HasPrefix(right, `"`):
		if len(t.Sum) != 1 || t.Sum[0].Times != 1 || number != 0 || t.Relation != "==" && t.Relation != "!=" {
			return t, fmt.Errorf("%s can be compared with one variable, by == or !=", right)
		}
		t.Text = right
	default:
		sum, n, err := parseSum(right)
		if err != nil {
			return t, err
		}
		for _, x := range sum {
			t.Sum = append(t.Sum, Summand{Times: -x.Times, Name: x.Name})
		}
		t.Number = n - number
	}
	if len(t.Sum) == 0 {
		return t, errors.New("want at least one variable")
	}
	return t, nil
}

// parseSum reads a sum of variables and of numbers.
func parseSum(text string) (sum []Summand, number int64, err error) {
	rest := text
	for first := true; first || strings.TrimSpace(rest) != ""; first = false {
		m := summand.FindStringSubmatch(rest)
		if m == nil || !first && m[1] == "" {
			return nil, 0, fmt.Errorf("want variables and numbers, added or subtracted, found %q", strings.TrimSpace(rest))
		}
		rest = rest[len(m[0]):]
		times := int64(1)
		if m[2] != "" {
			if times, err = strconv.ParseInt(m[2], 10, 32); err != nil {
				return nil, 0, err
			}
		}
		if m[1] == "-" {
			times = -times
		}
		if n, err := strconv.ParseInt(m[3], 10, 64); err == nil {
			number += times * n
		} else if strings.Trim(m[3], "0123456789") == "" {
			return nil, 0, err
		} else {
			sum = append(sum, Summand{Times: times, Name: m[3]})
		}
	}
	return sum, number, nil
}

// Holds reports whether t, a comparison, is true of these values of its
// variables, as they are printed. What is no number is equal to its text only.
func (t *Term) Holds(values []string) bool {
	if t.Text != "" {
		return (values[0] == t.Text) == (t.Relation == "==")
	}
	sum := int64(0)
	for i, v := range values {
		n, ok := number(v)
		if !ok {
			return false
		}
		sum += t.Sum[i].Times * n
	}
	c := cmp.Compare(sum, t.Number)
	switch t.Relation {
	case "==":
		return c == 0
	case "!=":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// number returns a printed value as a number: false is 0, true 1.
func number(v string) (int64, bool) {
	switch v {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	n, err := strconv.ParseInt(v, 0, 64)
	return n, err == nil
}

// Variables returns the names of a question's variables, each once.
func (q *Question) Variables() (names []string) {
	seen := map[string]bool{}
	for _, t := range q.Terms {
		for _, x := range t.Sum {
			if !seen[x.Name] {
				seen[x.Name] = true
				names = append(names, x.Name)
			}
		}
	}
	return names
}
