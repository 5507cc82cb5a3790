package predict

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a file of patterns in the paper's notation (section 3, figure 2):
//
//	# Another goroutine's write comes between a check and what relies on it.
//	pattern check then act
//	E  = e1 - e2 - e3
//	T  = t1 - t2 - t1
//	SV = s1 - s1 - s2
//	AR = u1 - u2 - u1
//	AT = r  - w  - w
//	regions = goroutines
//
// E only names the events and may be left out. Equal names stand for the same goroutine (T),
// variable (SV) or region (AR), different names for different ones. A line "regions" says what the
// regions are (default: locks), a line "adjacent" that nothing comes in between, and a line
// "message" what went wrong. name stands in errors, which are "name:line: what is wrong".
func Parse(name, text string) ([]*Pattern, error) {
	f := fileParser{name: name}
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.Lines(text) {
		f.line++
		if i := strings.IndexByte(line, '#'); i >= 0 {
			line = line[:i]
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := f.parse(line); errors.As(err, new(placed)) {
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("%s:%d: %v", name, f.line, err)
		}
	}
	if err := f.end(); err != nil {
		return nil, err
	}
	if len(f.patterns) == 0 && text != "" {
		return nil, fmt.Errorf("%s:%d: there is no pattern: want \"pattern\" and its name, then rows T, SV, AR and AT",
			name, max(1, f.line))
	}
	return f.patterns, nil
}

// ParseLine parses what Pattern.String prints.
func ParseLine(text string) (*Pattern, error) {
	d := draft{}
	for w := range strings.FieldsSeq(text) {
		key, val, _ := strings.Cut(w, "=")
		if err := d.set(key, val); err != nil {
			return nil, err
		}
	}
	return d.pattern()
}

// A placed is an error whose text begins with its place.
type placed string

func (p placed) Error() string { return string(p) }

// maxEvents bounds the events of a pattern.
const maxEvents = 16

type fileParser struct {
	name     string
	line     int
	at       int // line at which the open pattern begins
	open     *draft
	patterns []*Pattern
}

func (f *fileParser) parse(line string) error {
	words := strings.Fields(line)
	if words[0] == "pattern" {
		if err := f.end(); err != nil {
			return err
		}
		name := strings.Join(words[1:], " ")
		if name == "" {
			return fmt.Errorf("want a name after \"pattern\"")
		}
		for _, p := range f.patterns {
			if p.Name == name {
				return fmt.Errorf("there is a pattern %q already: give this one another name", name)
			}
		}
		for _, p := range builtin {
			if p.name == name || name == Race.Name {
				return fmt.Errorf("heddle has a pattern %q: give this one another name", name)
			}
		}
		f.open, f.at = &draft{name: name}, f.line
		return nil
	}
	if f.open == nil {
		return fmt.Errorf("want \"pattern\" and its name, found %q", line[:min(len(line), 60)])
	}
	key, val, ok := strings.Cut(line, "=")
	if key = strings.TrimSpace(key); !ok && key != "adjacent" {
		return fmt.Errorf("want one of E, T, SV, AR, AT, regions, message and \"=\", or adjacent; found %q",
			line)
	}
	return f.open.set(key, strings.TrimSpace(val))
}

// end ends the open pattern. Its error has the position already.
func (f *fileParser) end() error {
	if f.open == nil {
		return nil
	}
	p, err := f.open.pattern()
	if err != nil {
		return placed(fmt.Sprintf("%s:%d: pattern %s: %v", f.name, f.at, f.open.name, err))
	}
	f.patterns = append(f.patterns, p)
	f.open = nil
	return nil
}

// A draft is a pattern as far as it was read.
type draft struct {
	name, message string
	rows          map[string][]string
	regions       Regions
	adjacent      bool
}

// prefixes are the letters with which the names of a row begin.
var prefixes = map[string]string{"E": "e", "T": "t", "SV": "s", "AR": "u"}

func (d *draft) set(key, val string) error {
	switch key {
	case "E", "T", "SV", "AR", "AT":
		if d.rows[key] != nil {
			return fmt.Errorf("%s stands twice", key)
		}
		row := strings.Split(val, "-")
		if len(row) > maxEvents {
			return fmt.Errorf("%s has %d events, more than %d", key, len(row), maxEvents)
		}
		for i, w := range row {
			if row[i] = strings.TrimSpace(w); !validName(key, row[i]) {
				return fmt.Errorf("%s: want names such as %s, found %q", key, sample(key), row[i])
			}
		}
		if d.rows == nil {
			d.rows = make(map[string][]string)
		}
		d.rows[key] = row
	case "regions":
		r, ok := ParseRegions(val)
		if !ok {
			return fmt.Errorf("regions: want one of %s, %s; found %q", Locks, Goroutines, val)
		}
		d.regions = r
	case "adjacent":
		if val != "" {
			return fmt.Errorf("want nothing after \"adjacent\"")
		}
		d.adjacent = true
	case "message":
		d.message = val
	default:
		return fmt.Errorf("want one of E, T, SV, AR, AT, regions, adjacent, message; found %q", key)
	}
	return nil
}

func validName(key, w string) bool {
	if key == "AT" {
		return w == "r" || w == "w"
	}
	digits, ok := strings.CutPrefix(w, prefixes[key])
	n, err := strconv.ParseUint(digits, 10, 16)
	return ok && err == nil && n > 0
}

func sample(key string) string {
	if key == "AT" {
		return "r and w"
	}
	return prefixes[key] + "1"
}

// example has a row of each kind that must be there, for errors.
var example = map[string]string{"T": "t1 - t2 - t1", "SV": "s1 - s1 - s1", "AR": "u1 - u2 - u1",
	"AT": "r - w - w"}

// pattern makes the pattern. Names are numbered in order of appearance.
func (d *draft) pattern() (*Pattern, error) {
	for _, key := range []string{"T", "SV", "AR", "AT"} {
		if d.rows[key] == nil {
			return nil, fmt.Errorf("%s is missing: write a line \"%s = %s\" with one word for each event",
				key, key, example[key])
		}
		if n, m := len(d.rows["T"]), len(d.rows[key]); n != m {
			return nil, fmt.Errorf("row T has %d events and %s has %d", n, key, m)
		}
	}
	if e := d.rows["E"]; e != nil && len(e) != len(d.rows["T"]) {
		return nil, fmt.Errorf("row E has %d events and T has %d", len(e), len(d.rows["T"]))
	}
	p := &Pattern{Name: d.name, Message: d.message, Adjacent: d.adjacent, Regions: d.regions}
	ts, svs, ars := number(d.rows["T"]), number(d.rows["SV"]), number(d.rows["AR"])
	p.Kind = Atomicity
	for i, at := range d.rows["AT"] {
		p.E = append(p.E, Event{T: ts[i], SV: svs[i], AR: ars[i], Write: at == "w"})
		if svs[i] > 0 {
			p.Kind = Serializability
		}
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, nil
}

// number gives equal names equal numbers, from 0 on.
func number(names []string) []int {
	known := map[string]int{}
	ns := make([]int, len(names))
	for i, w := range names {
		n, ok := known[w]
		if !ok {
			n = len(known)
			known[w] = n
		}
		ns[i] = n
	}
	return ns
}
