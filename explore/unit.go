package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Unit is the registration of a strategy: all that -strategy, the help, the table of the guide,
// heddle compare and the engine know of it. A strategy registers itself in its package's init. A
// binary has the strategies that it imports (package all).
type Unit struct {
	Name  string // of -strategy
	Does  string // what it does, in one line without a full stop
	Paper string // that it follows; "": none
	Order int    // in lists, ascending; units with equal numbers go by name

	// Covers says what it has covered when its Result is Complete: "interleavings", "local states".
	// "" means that it samples.
	Covers string
	Ends   bool // it ends without a budget

	Needs   Needs
	Options []Option

	// New returns the strategy before its first execution. It is nil for a unit whose executions
	// the engine itself chooses: by Policy or, if that is "", by a composition of strategies.
	New    func(Start) Strategy
	Policy string // of sampled executions; a name of package policy

	// Resume returns the strategy that explores pieces of a search, and Expand the one that
	// explores leads; nil if the search cannot be split that way.
	Resume func(Start) Part
	Expand func(Start) Leads

	Tree func() Tree // returns the Tree of a search that has not begun; nil: pieces are independent

	Whole  bool // a finding does not shorten its budget
	Seeds  bool // its executions can seed a strategy that is Seeded
	Inputs bool // its strategies are InputSearches
	Asks   bool // its strategies are Askers; heddle ask takes the first such unit
	Heavy  bool // it is compiled into a test binary only where it is asked for: compiling it takes long

	Compared bool   // heddle compare takes it where the user gives no list
	Command  string // the command that runs it, if -strategy does not; "": none

	// Adapt, if not nil, adds to Needs what the options need.
	Adapt func(Values, *Needs)

	// Arm, if not nil, makes the unit a part of the default strategy. Cover: it covers every
	// program, for the default strategy and for strategies that fall back to it; New returns an
	// Heir. Ahead: the default strategy tries it before that unit; New returns a Yielding strategy.
	Arm          *Arm
	Cover, Ahead bool

	Free bool // a search of it can cover free time (Start.Free)
}

// Needs say what a strategy needs of its executions. They are parameters of the call that makes
// one.
type Needs struct {
	Accesses bool // every access to memory is a step and an event
	Values   bool // events of memory have the values read and written
	Plain    bool // accesses that are no steps are kept in the trace
	Hushed   bool // with Plain: those of quiet packages too
	Flow     Flow // how much the recorded data flow matters
	// the strategy chooses during the execution, which is impossible if that has a process of its
	// own
	Guide bool
	// Twins: the trace tells which goroutines are interchangeable. Vouched: by their arguments
	// alone.
	Twins, Vouched bool

	Steps int // bound on the steps of an execution, where the user gives none; 0: the scheduler's own

	// Anew: the strategy begins anew when channels turn out to be polled, since that gives
	// executions other steps. Strategies without Accesses always do.
	Anew bool
}

// A Flow says how much a strategy needs the data flow: the reads that values were computed from.
type Flow int

const (
	NoFlow     Flow = iota
	FlowBeside      // one of several processes profits from it
	FlowHelps       // it can do without (-flow=false)
	FlowNeeded
)

// An Arm is the part that a strategy has in the default strategy.
type Arm struct {
	Order   int    // among the arms
	Options Values // that differ from the defaults
	Flow    bool   // only in binaries that record data flow

	// Light: its thinking takes time in proportion to the length of executions. Resumes: when its
	// time is up (Start.Expired, why.TimeOver) it goes on in its next turn.
	Light, Resumes bool

	// Bounds: it proves for bounds what could not be proved for all interleavings. It takes part
	// once the attempt to cover these was given up, in one process.
	Bounds bool
}

// An Option is one of a strategy's own: -strategy NAME,OPTION=VALUE.
type Option struct {
	Name    string
	Default string // "": no value
	Help    string
	Check   func(value string) error // nil: any value will do

	// Switch: it can be given without a value, which means "true". Place: its values are lines of
	// the source, FILE:LINE; the strategy gets the numbers of their sites. Options with Place or
	// Many can be given several times: commas join the values.
	Switch, Place, Many bool
}

// Values are the values of options, by name.
type Values map[string]string

// A Start has what New needs.
type Start struct {
	Seed    uint64      // of random choices; never 0
	Expired func() bool // reports whether the time is up; a cheap call
	Loose   bool        // executions are made with trace.Schedule.Loose
	Free    bool        // executions are made with trace.Schedule.Free, which a Free unit covers
	Options Values      // of all options of the unit, defaults included
	Lane    int         // number of the process among several that explore the same test, from 0

	// Spare reports whether a strategy that has nothing left to explore may go on sampling: its
	// budget ends it, and nothing was found. nil: it may not.
	Spare func() bool
	Early bool // timers may fire early in samples
}

// Context returns a context that ends when the time is up. Only Err tells that: the context has no
// timer, since a timer would be the program's, in virtual time.
func (s *Start) Context() context.Context { return until{context.Background(), s.Expired} }

type until struct {
	context.Context
	expired func() bool
}

func (u until) Err() error {
	if u.expired != nil && u.expired() {
		return context.DeadlineExceeded
	}
	return u.Context.Err()
}

// With returns the values of all options of the unit: given, or the defaults.
func (u *Unit) With(given Values) Values {
	v := make(Values, len(u.Options))
	for i := range u.Options {
		o := &u.Options[i]
		v[o.Name] = o.Default
		if x, ok := given[o.Name]; ok {
			v[o.Name] = x
		}
	}
	return v
}

// Needing returns the needs of executions under these options.
func (u *Unit) Needing(v Values) Needs {
	n := u.Needs
	if u.Adapt != nil {
		u.Adapt(v, &n)
	}
	return n
}

// Searches reports whether the unit has a strategy, and is not a policy to sample with.
func (u *Unit) Searches() bool { return u.New != nil }

var units []*Unit

// Register adds a unit to the registry. It panics if the name is taken.
func Register(u Unit) {
	if Lookup(u.Name) != nil {
		panic("explore: two strategies are called " + u.Name)
	}
	at, _ := slices.BinarySearchFunc(units, &u, func(a, b *Unit) int {
		if a.Order != b.Order {
			return a.Order - b.Order
		}
		return strings.Compare(a.Name, b.Name)
	})
	units = slices.Insert(units, at, &u)
}

// Lookup returns the unit of that name, nil if this binary has none.
func Lookup(name string) *Unit {
	for _, u := range units {
		if u.Name == name {
			return u
		}
	}
	return nil
}

// Units returns all units of this binary in their order.
func Units() []*Unit { return slices.Clone(units) }

// First returns the first unit of which is holds, nil if there is none.
func First(is func(*Unit) bool) *Unit {
	if i := slices.IndexFunc(units, is); i >= 0 {
		return units[i]
	}
	return nil
}

// Cover returns the unit that covers every program: other strategies fall back to it. nil: this
// binary has none.
func Cover() *Unit { return First(func(u *Unit) bool { return u.Cover }) }

// Ahead returns the unit that the default strategy tries before that of Cover. nil: this binary has
// none.
func Ahead() *Unit { return First(func(u *Unit) bool { return u.Ahead }) }

// Names returns the names of the units of which is holds; nil: of all.
func Names(is func(*Unit) bool) (names []string) {
	for _, u := range units {
		if is == nil || is(u) {
			names = append(names, u.Name)
		}
	}
	return names
}

// Parse parses the value of -strategy: NAME or NAME,OPTION,OPTION=VALUE,... An error says what was
// expected.
func Parse(text string) (*Unit, Values, error) {
	if name, _, _ := strings.Cut(text, ","); Lookup(name) == nil || !Selectable(Lookup(name)) {
		return nil, nil, wantOne(Selectable)
	}
	list, err := ParseList(text)
	if err != nil {
		return nil, nil, err
	}
	if len(list) != 1 {
		return nil, nil, list[0].Unit.unknown(list[1].Unit.Name)
	}
	return list[0].Unit, list[0].Values, nil
}

// A Choice is a unit with the options that were given for it.
type Choice struct {
	Unit   *Unit
	Values Values
}

// ParseList parses several strategies with their options, all separated by commas.
func ParseList(text string) (list []Choice, err error) {
	for _, word := range strings.Split(text, ",") {
		name, value, given := strings.Cut(word, "=")
		if len(list) > 0 {
			at := &list[len(list)-1]
			if o := at.Unit.option(name); o != nil {
				if err := at.set(o, value, given); err != nil {
					return nil, err
				}
				continue
			}
		}
		u := Lookup(word)
		switch {
		case u != nil:
			list = append(list, Choice{Unit: u})
		case len(list) == 0:
			return nil, wantOne(nil)
		default:
			return nil, list[len(list)-1].Unit.unknown(name)
		}
	}
	return list, nil
}

// Selectable reports whether -strategy takes a unit.
func Selectable(u *Unit) bool { return u.Command == "" }

func wantOne(of func(*Unit) bool) error {
	return fmt.Errorf("want one of: %s", strings.Join(Names(of), ", "))
}

func (u *Unit) option(name string) *Option {
	for i := range u.Options {
		if u.Options[i].Name == name {
			return &u.Options[i]
		}
	}
	return nil
}

// unknown returns the error for an option that the unit does not have.
func (u *Unit) unknown(name string) error {
	if len(u.Options) == 0 {
		return fmt.Errorf("strategy %s has no option %s; it has none", u.Name, name)
	}
	var names []string
	for i := range u.Options {
		names = append(names, u.Options[i].Name)
	}
	return fmt.Errorf("strategy %s has no option %s; it has: %s", u.Name, name, strings.Join(names, ", "))
}

// set sets an option.
func (c *Choice) set(o *Option, value string, given bool) error {
	if !given && !o.Switch {
		return fmt.Errorf("option %s of strategy %s wants a value: %s=VALUE", o.Name, c.Unit.Name, o.Name)
	}
	if !given {
		value = "true"
	}
	before, again := c.Values[o.Name]
	if again && !o.Place && !o.Many {
		return fmt.Errorf("option %s of strategy %s is given twice", o.Name, c.Unit.Name)
	}
	if o.Check != nil {
		if err := o.Check(value); err != nil {
			return fmt.Errorf("option %s of strategy %s: %v", o.Name, c.Unit.Name, err)
		}
	}
	if again {
		value = before + "," + value
	}
	if c.Values == nil {
		c.Values = make(Values)
	}
	c.Values[o.Name] = value
	return nil
}
