package predict

import (
	"fmt"
	"slices"
	"strings"
)

// A Pattern has equally long sequences E, T, SV, AR, AT (section 3): events that a schedule is to
// bring about in this order. Equal letters stand for the same goroutine, variable or region,
// different letters for different ones.
type Pattern struct {
	Name    string
	Message string // what went wrong, in one sentence
	Kind    string // of the finding, as section 7 of the design spells it
	E       []Event

	// Adjacent: nothing comes between the first event and the last, as data races require and other
	// patterns do not.
	Adjacent bool
	Regions  Regions // what a region is
}

// An Event is a column of a pattern. The letters count from 0.
type Event struct {
	T, SV, AR int
	Write     bool
}

// Kinds of findings that this package predicts.
const (
	DataRace        = "data race"
	Atomicity       = "atomicity violation"
	Serializability = "serializability violation"
)

// Race is the pattern of data races: two adjacent accesses, in either order. It stands for r-w, w-r
// and w-w.
var Race = &Pattern{Name: "race", Kind: DataRace, Adjacent: true, E: []Event{{T: 0, Write: true},
	{T: 1, AR: 1, Write: true}}}

// builtin are the patterns that are always searched: the four of atomicity on one variable, and the
// eleven of Vaziri, Tip and Dolby (POPL 2006, table 1; see also Hammer, Dolby, Vaziri, Tip, ICSE
// 2008), of which the first four are the same. Lower case is region u, upper case another region
// u'; the digit is the variable.
var builtin = []struct{ name, kind, events, message string }{
	{"stale read", Atomicity, "r1 W1 w1", "another goroutine writes between a read and the write that follows from it: its value is lost"},
	{"unrepeatable read", Atomicity, "r1 W1 r1",
		"two reads that belong together see different values: another goroutine writes in between"},
	{"dirty read", Atomicity, "w1 R1 w1", "another goroutine reads between two writes that belong together"},
	{"read of another's write", Atomicity, "w1 W1 r1",
		"what is read back is not what was written: another goroutine writes in between"},
	{"lost write", Serializability, "w1 W1 w1",
		"another goroutine writes between two writes that belong together: its value is lost"},
	{"inconsistent write", Serializability, "w1 W1 W2 w2",
		"two groups of writes mix: one variable is left with the value of one, the other with that of the other"},
	{"crossed write", Serializability, "w1 W2 W1 w2",
		"two groups of writes mix: one variable is left with the value of one, the other with that of the other"},
	{"inconsistent view by another", Serializability, "w1 R1 R2 w2",
		"another goroutine reads two variables, of which one is changed already and the other not yet"},
	{"crossed view by another", Serializability, "w1 R2 R1 w2",
		"another goroutine reads two variables, of which one is changed already and the other not yet"},
	{"inconsistent view", Serializability, "r1 W1 W2 r2",
		"two variables are read, one before and one after another goroutine changes both"},
	{"crossed view", Serializability, "r1 W2 W1 r2",
		"two variables are read, one before and one after another goroutine changes both"},
}

// LosesUpdate reports whether p is a read and the write that follows from it, with another write in
// between.
func (p *Pattern) LosesUpdate() bool {
	return len(p.E) == 3 && !p.E[0].Write && p.E[1].Write && p.E[2].Write && p.E[0].SV == p.E[1].SV &&
		p.E[1].SV == p.E[2].SV
}

// Builtin returns the patterns that are always searched, beside races.
func Builtin(r Regions) []*Pattern {
	var ps []*Pattern
	for _, b := range builtin {
		p := &Pattern{Name: b.name, Message: b.message, Kind: b.kind, Regions: r}
		for w := range strings.FieldsSeq(b.events) {
			e := Event{SV: int(w[1] - '1'), Write: w[0] == 'w' || w[0] == 'W'}
			if w[0] < 'a' {
				e.T, e.AR = 1, 1
			}
			p.E = append(p.E, e)
		}
		ps = append(ps, p)
	}
	return ps
}

// String prints the pattern in the paper's notation, in one line: "T=t1-t2-t1
// SV=s1-s1-s1 AR=u1-u2-u1 AT=r-w-r", with "regions=goroutines" and "adjacent" where that holds.
func (p *Pattern) String() string {
	var rows [4][]string
	for _, e := range p.E {
		at := "r"
		if e.Write {
			at = "w"
		}
		for i, w := range []string{fmt.Sprint("t", e.T+1), fmt.Sprint("s", e.SV+1), fmt.Sprint("u", e.AR+1),
			at} {
			rows[i] = append(rows[i], w)
		}
	}
	var b strings.Builder
	for i, name := range []string{"T", "SV", "AR", "AT"} {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name + "=" + strings.Join(rows[i], "-"))
	}
	if p.Regions != Locks {
		b.WriteString(" regions=" + p.Regions.String())
	}
	if p.Adjacent {
		b.WriteString(" adjacent")
	}
	return b.String()
}

// check returns an error for a pattern that nothing can match or that no search can begin with.
func (p *Pattern) check() error {
	if len(p.E) < 2 {
		return fmt.Errorf("a pattern has two events at least")
	}
	region := map[int]int{}
	for i, e := range p.E {
		if t, ok := region[e.AR]; ok && t != e.T {
			return fmt.Errorf("the region u%d is of two threads, t%d and t%d", e.AR+1, t+1, e.T+1)
		}
		region[e.AR] = e.T
		if i > 0 && p.E[i-1].T == e.T && p.Adjacent {
			return fmt.Errorf("events of one thread, t%d, cannot be adjacent", e.T+1)
		}
	}
	for _, e := range p.E {
		if !slices.ContainsFunc(p.E, func(f Event) bool {
			return f.T != e.T && slices.ContainsFunc(p.E, func(d Event) bool {
				return d.T == e.T &&
					d.SV == f.SV
			})
		}) {
			return fmt.Errorf("t%d shares no variable with another thread", e.T+1)
		}
	}
	if x, _ := p.seed(); x < 0 {
		return fmt.Errorf("no two threads access one variable, at least one of them to write")
	}
	return nil
}

// seed returns two conflicting events of different goroutines, with which the search for the
// pattern begins.
func (p *Pattern) seed() (x, y int) {
	for i, e := range p.E {
		for j := i + 1; j < len(p.E); j++ {
			if f := p.E[j]; e.T != f.T && e.SV == f.SV && (e.Write || f.Write) {
				return i, j
			}
		}
	}
	return -1, -1
}
