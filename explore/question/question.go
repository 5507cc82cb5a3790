// Package question has questions about all executions of a test at once: is there a moment at which
// these conditions hold (Kähkönen, Saarikivi, Heljanko, section 4.6)?
//
//	bank.go:21@main/1 && bank.go:22@main/2    two places at once
//	x == 0 && y == 1                          values of variables
//	acct.balance + fee > 2*limit              sums of variables
//
// A place holds if a goroutine, or the one with the given name, is about to perform an operation at
// that place; beginning at its go statement does not count. Two places in one question are of two
// goroutines. A variable has the name that the source has at the operations on it: x, s.count.
package question

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Question holds at a moment if all of its terms hold.
type Question struct {
	Text  string
	Terms []Term
}

// A Term says where a goroutine is (At), or how a sum of variables relates to a value.
type Term struct {
	At        *Place `json:",omitempty"`
	Goroutine string `json:",omitempty"` // the name of the goroutine; "": any

	Sum      []Summand `json:",omitempty"`
	Relation string    `json:",omitempty"` // ==, !=, <, <=, >, >=
	Number   int64     `json:",omitempty"`
	// for one variable that is no number: the value that it is compared with, as printed
	Text string `json:",omitempty"`
}

// A Place is a line. Sites has the instrumented sites on it, once they are known.
type Place struct {
	File  string
	Line  int
	Sites []uint64 `json:",omitempty"`
}

// A Summand is a variable with its factor. Where has the operations on it, once they are known.
type Summand struct {
	Times int64
	Name  string
	Where []Place `json:",omitempty"` // File is "" if only Sites count
}

var (
	and      = regexp.MustCompile(`\s*&&?\s*`)
	place    = regexp.MustCompile(`^([^\s:@]+\.go):([1-9][0-9]*)(?:@([a-z]+(?:/[0-9]+)*))?$`)
	relation = regexp.MustCompile(`==|!=|<=|>=|<|>`)
	summand  = regexp.MustCompile(`^\s*([-+]?)\s*(?:([0-9]+)\s*\*\s*)?([\pL_][\pL_0-9.\[\]]*|[0-9]+)`)
)

// Parse parses a question. The error names the first term that it does not understand.
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
		return t,
			errors.New("want a place such as bank.go:21 or bank.go:21@main/1, or a comparison such as x == 0")
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

// parseSum parses a sum of variables and numbers.
func parseSum(text string) (sum []Summand, number int64, err error) {
	rest := text
	for first := true; first || strings.TrimSpace(rest) != ""; first = false {
		m := summand.FindStringSubmatch(rest)
		if m == nil || !first && m[1] == "" {
			return nil, 0, fmt.Errorf("want variables and numbers, added or subtracted, found %q",
				strings.TrimSpace(rest))
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

// Holds reports whether t, a comparison, is true for these values of its variables, as printed. A
// value that is no number equals its text only.
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
