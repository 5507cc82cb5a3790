// Package model is heddle's one definition of Go's primitives: what an operation does to an object,
// when it blocks, which two operations commute, which orders it gives, and what enables a blocked
// operation.
//
// A Primitive is a table with a Rule for every outcome of every operation. A State is a few
// counters, which the Primitive names. A rule applies where its needs are met; an operation blocks
// where no rule applies. Everything else is derived from the tables. Step and After replay
// executions, Waits and Enables say what waits for what, Mode says what a rule means to other
// operations, and Conflict of two modes says whether their order matters.
//
// The tables follow the documentation of package sync, the Go specification and the Go memory
// model. Tests compare the commutations with the effect of swapping two operations in every small
// state, and the scheduler (rt/sched) with Step for every event of random programs. rt/sched has a
// representation of its own, which is faster.
//
// An operation without a rule is unknown: it is always enabled, its outcome is the recorded one,
// and it conflicts with every other operation on its object. That is sound, and reduces nothing.
//
// The package has no state and imports package trace alone, since it is compiled into the program
// under test.
package model

import "heddle/trace"

// An Object is what the rules must know of an object beside its state.
type Object struct {
	Kind trace.ObjKind
	Cap  int32  // capacity of a channel
	Init uint64 // as in trace.Object

	// Ordered: operations that commute by default turned out not to. See Rule.Ordered.
	Ordered bool
}

// A Counter is the index of a counter in a State.
type Counter uint8

// Counters is the number of counters in a State.
const Counters = 3

// A State is what the past operations on an object have left, as far as later operations depend on
// it.
type State [Counters]int32

// A Need is what a rule demands of a counter: at least Min and at most Max.
type Need struct {
	Counter  Counter
	Min, Max int32
	Room     bool // at most the capacity less one, instead of Max
}

// An Effect is what a rule does to a counter. The counter is set to N, or grows by N or by the
// operation's argument.
type Effect struct {
	Counter Counter
	N       int32
	Set     bool
	ByArg   bool
}

// Outcome says which outcomes a rule covers.
type Outcome uint8

const (
	Exactly Outcome = iota // the one in Rule.Arg
	// what the operation brings along, such as the delta of an Add; Rule.Sign bounds it
	Given
	Before // the value of counter 0 before the operation
	After  // the value of counter 0 after the operation
)

// Order is the set of orders that the Go memory model derives from an operation.
type Order uint8

const (
	Acquires  Order = 1 << iota // what was released at the object before happens before this operation
	Releases                    // this operation happens before later ones that acquire at the object
	Replaces                    // as Releases, and earlier releases no longer count
	ByPartner                   // ordered with the event Event.Partner alone: signals, sends and receives
	Takes                       // with Acquires: only the latest release counts, and no longer for others
)

// Section says what a rule does to the critical section of its goroutine.
type Section uint8

const (
	Outside     Section = iota
	Enter               // exclusively
	EnterShared         // as one of several readers
	Leave
	LeaveShared
)

// Enters reports whether s begins a critical section.
func (s Section) Enters() bool { return s == Enter || s == EnterShared }

// Leaves reports whether s ends a critical section.
func (s Section) Leaves() bool { return s == Leave || s == LeaveShared }

// A Rule is one outcome of an operation.
type Rule struct {
	Op      trace.Op
	Outcome Outcome
	Arg     int32 // the outcome, if Exactly
	Sign    int   // of the argument, if Given: -1, 0, 1 or anySign
	Needs   []Need
	Effects []Effect

	// When restricts the rule to channels with or without a buffer.
	When When

	Meets  bool // one step with the operation of the other side, over an unbuffered channel
	Polls  bool // the operation is a case of a select with default, and was not ready
	Unseen bool // no other operation can observe it
	Panics bool

	Mode    Mode
	Ordered Mode // replaces Mode if Object.Ordered is set; Read: Mode stays
	Order   Order
	Section Section
}

// When restricts a rule to some channels.
type When uint8

const (
	Always When = iota
	Buffered
	Unbuffered
)

// anySign lets a Given rule have any argument.
const anySign = 2

// A Primitive is the definition of one kind of object.
type Primitive struct {
	Kind     trace.ObjKind
	Counters []string // in the order of State
	Initial  func(o *Object) State
	Rules    []Rule
	Blocking []trace.Op // operations that block in some state

	byOp    [trace.OpMax][]Rule
	settles [trace.OpMax]bool // see Settled
	settled bool              // some operation does
}

// primitives has all definitions, by kind.
var primitives [256]*Primitive

// unknown is the primitive of kinds without a definition.
var unknown = &Primitive{Kind: trace.ObjOther}

// ObjectOf returns the definition of an object of a trace, and what the rules must know of it.
func ObjectOf(t *trace.Trace, id trace.ObjID) (*Primitive, Object) {
	if int(id) >= len(t.Objects) { // no object, in a trace that has none
		return unknown, Object{}
	}
	o := &t.Objects[id]
	return Of(o.Kind), Object{Kind: o.Kind, Cap: o.Cap, Init: o.Init}
}

func register(ps ...*Primitive) (registered bool) {
	for _, p := range ps {
		for i := range p.Rules {
			r := &p.Rules[i]
			if r.Ordered == Read {
				r.Ordered = r.Mode
			}
			p.byOp[r.Op] = append(p.byOp[r.Op], *r)
			if x := &sections[r.Op]; !r.Panics && !x.known {
				x.s, x.known = r.Section, true
			} else if !r.Panics && x.s != r.Section {
				x.s, x.several = Outside, true
			}
		}
		primitives[p.Kind] = p
	}
	for _, p := range ps {
		for i := range p.Rules {
			r := &p.Rules[i]
			if _, ok := p.settle(&Object{Kind: p.Kind}, r.Op, r.Arg); ok && p.Counters != nil {
				p.settles[r.Op], p.settled = true, true
			}
		}
	}
	return true
}

var _ = register(
	mutex,
	rwmutex,
	cond,
	waitgroup,
	once,
	channel,
	semaphore,
	atomic,
	memory,
	syncMap,
	pool,
	timer, clock, packet)

// Of returns the definition of a kind of object. It is never nil: every operation on a kind without
// a definition is unknown.
func Of(kind trace.ObjKind) *Primitive {
	if p := primitives[kind]; p != nil {
		return p
	}
	return unknown
}

// All returns the definitions, by kind.
func All() (all []*Primitive) {
	for _, p := range primitives {
		if p != nil {
			all = append(all, p)
		}
	}
	return all
}

// Start returns the state of o before its first operation.
func (p *Primitive) Start(o *Object) State {
	if p.Initial == nil {
		return State{}
	}
	return p.Initial(o)
}

// Step performs op on an object in state s. arg is what the operation brings along, or its outcome
// where the state does not decide it. Step returns the rule that applies, the outcome as in
// trace.Event.Arg, and the next state. The rule is nil if op blocks.
func (p *Primitive) Step(o *Object, s State, op trace.Op, arg int32) (r *Rule, outcome int32, next State) {
	rules := p.byOp[op]
	if len(rules) == 0 {
		return &unknownRule, arg, s
	}
	for i := range rules {
		r := &rules[i]
		if !r.Polls && r.when(o) && (r.Outcome != Given || r.sign(arg)) && r.met(o, &s) {
			return r, r.outcome(&s, arg), r.apply(s, arg)
		}
	}
	return nil, 0, s
}

// After returns the state after op, which had that outcome in an execution.
func (p *Primitive) After(o *Object, s State, op trace.Op, outcome int32) State {
	r := p.Rule(o, op, outcome)
	if r == nil {
		return s
	}
	// the state that the outcome proves, even if the execution does not show its cause
	for _, n := range r.Needs {
		if n.Min == n.Max && !n.Room {
			s[n.Counter] = n.Min
		}
	}
	return r.apply(s, outcome)
}

// Rule returns the rule of op with that outcome. If no rule has it, as for an operation that was
// announced and not performed, the result is the first rule of op; nil if op is unknown.
func (p *Primitive) Rule(o *Object, op trace.Op, outcome int32) *Rule {
	rules := p.byOp[op]
	for i := range rules {
		r := &rules[i]
		if !r.when(o) {
			continue
		}
		switch r.Outcome {
		case Exactly:
			if r.Arg == outcome {
				return r
			}
		case Given:
			if r.sign(outcome) {
				return r
			}
		case Before:
			if outcome > 0 {
				return r
			}
		case After:
			return r
		}
	}
	for i := range rules {
		if rules[i].when(o) {
			return &rules[i]
		}
	}
	return nil
}

// Settled returns the state after op with that outcome, if the outcome alone determines it. It may
// be unknown.
func (p *Primitive) Settled(o *Object, op trace.Op, outcome int32) (s State, ok bool) {
	if !p.settles[op] {
		return s, false
	}
	return p.settle(o, op, outcome)
}

func (p *Primitive) settle(o *Object, op trace.Op, outcome int32) (s State, ok bool) {
	r := p.Rule(o, op, outcome)
	if r == nil {
		return s, false
	}
	for c := range p.Counters {
		known := false
		for _, n := range r.Needs {
			if int(n.Counter) == c && !n.Room && n.Min == n.Max {
				s[c], known = n.Min, true
			}
		}
		for _, e := range r.Effects {
			switch {
			case int(e.Counter) != c:
			case e.Set:
				s[c], known = e.N, true
			case e.ByArg:
				known = false
			default:
				s[c] += e.N
			}
		}
		if r.Outcome == After && c == 0 {
			s[c], known = outcome, true
		}
		if !known {
			return s, false
		}
	}
	return s, true
}

// Settles reports whether some operation of p has a Settled state.
func (p *Primitive) Settles() bool { return p.settled }

// Waits reports whether op blocks in some state.
func (p *Primitive) Waits(op trace.Op) bool {
	for _, w := range p.Blocking {
		if w == op {
			return true
		}
	}
	return false
}

// Blames reports whether by, with that outcome, is one of the operations that make op block in
// state s: without it a counter would be closer to what op needs.
func (p *Primitive) Blames(o *Object, s State, op trace.Op, by trace.Op, outcome int32) bool {
	cause := p.Rule(o, by, outcome)
	return cause != nil && p.moves(o, s, op, cause, outcome, false)
}

// Enables reports whether by, with that outcome, brings a counter closer to what op needs. op is
// blocked in state s.
func (p *Primitive) Enables(o *Object, s State, op trace.Op, by trace.Op, outcome int32) bool {
	cause := p.Rule(o, by, outcome)
	return cause != nil && p.moves(o, s, op, cause, outcome, true)
}

// Helps reports whether by, with that outcome, can enable op, which is blocked at the same object:
// there is a state in which op is blocked and by Enables it, or by is the other side of op's
// communication.
func (p *Primitive) Helps(o *Object, op trace.Op, by trace.Op, outcome int32) bool {
	if op == trace.OpCondWake {
		return by == trace.OpSignal || by == trace.OpBroadcast
	}
	cause := p.Rule(o, by, outcome)
	if cause == nil || cause.Panics || len(p.byOp[op]) == 0 {
		return false
	}
	if cause.Meets {
		return op != by
	}
	values := [...]int32{0, 1, o.Cap}
	for _, a := range values {
		for _, b := range values {
			for _, c := range values {
				s := State{a, b, c}
				if p.alone(o, s, op) == nil && p.Enables(o, s, op, by, outcome) {
					return true
				}
			}
		}
	}
	return false
}

// alone returns the rule by which op is enabled in state s without a partner; nil if it is not.
func (p *Primitive) alone(o *Object, s State, op trace.Op) *Rule {
	if r, _, _ := p.Step(o, s, op, 0); r != nil && !r.Meets {
		return r
	}
	return nil
}

// Sum returns the counter that op with that outcome adds to, and how much, if such additions
// commute as long as the counter does not become negative.
func (p *Primitive) Sum(o *Object, op trace.Op, outcome int32) (c Counter, n int32, ok bool) {
	r := p.Rule(o, op, outcome)
	if r == nil || r.Panics || !r.Mode.sums() || len(r.Effects) != 1 {
		return 0, 0, false
	}
	e := r.Effects[0]
	if e.ByArg {
		return e.Counter, outcome, true
	}
	return e.Counter, e.N, true
}

// Sums reports whether op, unless it panics, adds to a counter whatever the state; see Sum.
func (p *Primitive) Sums(op trace.Op) bool {
	for i := range p.byOp[op] {
		if r := &p.byOp[op][i]; !r.Panics && !r.Unseen && !r.Mode.sums() {
			return false
		}
	}
	return len(p.byOp[op]) > 0
}

func (m Mode) sums() bool { return m == Add || m == ReadLock || m == ReadUnlock }

// Orders returns the orders that the Go memory model derives from op with that outcome.
func (p *Primitive) Orders(o *Object, op trace.Op, outcome int32) Order {
	if r := p.Rule(o, op, outcome); r != nil {
		return r.Order
	}
	return unknownRule.Order
}

// Syncs reports whether b happens after a, an earlier operation on the same object, because a
// releases and b acquires. Readers of an RWMutex order writers, not each other.
func (p *Primitive) Syncs(o *Object, a trace.Op, outcomeA int32, b trace.Op, outcomeB int32) bool {
	return p.Orders(o, a, outcomeA)&(Releases|Replaces) != 0 && p.Orders(o, b, outcomeB)&Acquires != 0 &&
		(p.SectionOf(o, a, outcomeA) != LeaveShared || p.SectionOf(o, b, outcomeB) != EnterShared)
}

// SectionOf returns what op with that outcome does to the critical section of its goroutine.
func (p *Primitive) SectionOf(o *Object, op trace.Op, outcome int32) Section {
	if r := p.Rule(o, op, outcome); r != nil {
		return r.Section
	}
	return Outside
}

// SectionOfOp is SectionOf for an operation of which neither the object nor the outcome is known.
// certain is false if the section depends on them.
func SectionOfOp(op trace.Op) (s Section, certain bool) {
	return sections[op].s, !sections[op].several
}

// sections has the section of each operation. several: it has more than one.
var sections [trace.OpMax]struct {
	s              Section
	known, several bool
}

// HelpersOf returns the operations that can enable op where it is blocked, at objects of any kind.
func HelpersOf(op trace.Op) (helpers []trace.Op) {
	var known [trace.OpMax]bool
	for _, p := range All() {
		if !p.Waits(op) {
			continue
		}
		o := Object{Kind: p.Kind, Cap: 1}
		for i := range p.Rules {
			if r := &p.Rules[i]; p.Helps(&o, op, r.Op, r.Arg) && !known[r.Op] {
				helpers, known[r.Op] = append(helpers, r.Op), true
			}
		}
	}
	return helpers
}

// AwaitsSection reports whether op can be blocked until another goroutine leaves a critical
// section.
func AwaitsSection(op trace.Op) bool {
	for _, by := range HelpersOf(op) {
		if s, _ := SectionOfOp(by); s.Leaves() {
			return true
		}
	}
	return false
}

// moves reports whether cause moves a counter that op, blocked in state s, waits for: towards what
// op needs, or away from it.
func (p *Primitive) moves(o *Object, s State, op trace.Op, cause *Rule, outcome int32, towards bool) bool {
	for i := range p.byOp[op] {
		r := &p.byOp[op][i]
		if r.Panics || !r.when(o) {
			continue
		}
		for _, n := range r.Needs {
			low, high := n.Bounds(o)
			v := s[n.Counter]
			if v >= low && v <= high {
				continue
			}
			for _, e := range cause.Effects {
				if e.Counter != n.Counter {
					continue
				}
				d := e.N
				switch {
				case e.Set && (e.N < low || e.N > high):
					d = v - low
				case e.Set:
					d = low - v
				case e.ByArg:
					d = outcome
				}
				if closer := v < low && d > 0 || v > high && d < 0; d != 0 && closer == towards {
					return true
				}
			}
		}
	}
	return false
}

// Mode returns the mode of op with that outcome. seen is false if no other operation can observe
// it.
func (p *Primitive) Mode(o *Object, op trace.Op, outcome int32) (m Mode, seen bool) {
	r := p.Rule(o, op, outcome)
	switch {
	case r == nil && reads(op):
		return Read, true
	case r == nil:
		return Write, !unseen(op)
	case r.Unseen:
		return Read, false
	case o.Ordered:
		return r.Ordered, true
	}
	return r.Mode, true
}

// Looks reports whether op with that outcome changes nothing that another operation can observe.
func (p *Primitive) Looks(o *Object, op trace.Op, outcome int32) bool {
	r := p.Rule(o, op, outcome)
	if r == nil {
		return reads(op)
	}
	return len(r.Effects) == 0 && !r.Meets && !r.Panics && !Conflict(r.Mode, r.Mode)
}

// Adds reports whether the state of p is one counter that operations add to: they never set it.
func (p *Primitive) Adds() bool {
	for i := range p.Rules {
		for _, e := range p.Rules[i].Effects {
			if e.Set {
				return false
			}
		}
	}
	return len(p.Counters) == 1
}

// Delta returns what op with that outcome adds to a counter.
func (p *Primitive) Delta(o *Object, c Counter, op trace.Op, outcome int32) int32 {
	var zero State
	if r := p.Rule(o, op, outcome); r != nil {
		return r.apply(zero, outcome)[c]
	}
	return 0
}

// Demands returns the bounds between which op needs a counter to be; ok is false if it has no need
// of it.
func (p *Primitive) Demands(o *Object, c Counter, op trace.Op, outcome int32) (low, high int32, ok bool) {
	if r := p.Rule(o, op, outcome); r != nil {
		for i := range r.Needs {
			if r.Needs[i].Counter == c {
				low, high = r.Needs[i].Bounds(o)
				return low, high, true
			}
		}
	}
	return 0, 0, false
}

// Unbounded is the upper bound of a need that has none.
const Unbounded = many

// unknownRule is the rule of operations without a definition.
var unknownRule = Rule{Outcome: Given, Sign: anySign, Mode: Write, Ordered: Write, Order: Acquires | Releases}

// reads reports whether op, which has no rule, changes nothing.
func reads(op trace.Op) bool {
	switch op {
	case trace.OpRead, trace.OpAtomicLoad, trace.OpMapLoad, trace.OpMapRange, trace.OpAwait:
		return true
	}
	return false
}

// unseen reports whether no other operation can observe op, which has no rule: it only records what
// another operation did.
func unseen(op trace.Op) bool {
	return op == trace.OpCondWake || op == trace.OpTimerFire || op == trace.OpSelect
}

func (r *Rule) when(o *Object) bool {
	return r.When == Always || (r.When == Buffered) == (o.Cap > 0)
}

func (r *Rule) sign(arg int32) bool {
	switch r.Sign {
	case anySign:
		return true
	case 0:
		return arg == 0
	case 1:
		return arg > 0
	}
	return arg < 0
}

func (r *Rule) met(o *Object, s *State) bool {
	for i := range r.Needs {
		low, high := r.Needs[i].Bounds(o)
		if v := s[r.Needs[i].Counter]; v < low || v > high {
			return false
		}
	}
	return true
}

// Bounds returns the least and the greatest value that n allows.
func (n *Need) Bounds(o *Object) (low, high int32) {
	if n.Room {
		return n.Min, o.Cap - 1
	}
	return n.Min, n.Max
}

func (r *Rule) outcome(s *State, arg int32) int32 {
	switch r.Outcome {
	case Given:
		return arg
	case Before:
		return s[0]
	case After:
		t := r.apply(*s, arg)
		return t[0]
	}
	return r.Arg
}

func (r *Rule) apply(s State, arg int32) State {
	for i := range r.Effects {
		switch e := &r.Effects[i]; {
		case e.Set:
			s[e.Counter] = e.N
		case e.ByArg:
			s[e.Counter] += arg
		default:
			s[e.Counter] += e.N
		}
	}
	return s
}

const many = 1<<31 - 1

// is, least and room are needs; set and add are effects.
func is(c Counter, n int32) Need    { return Need{Counter: c, Min: n, Max: n} }
func least(c Counter, n int32) Need { return Need{Counter: c, Min: n, Max: many} }
func most(c Counter, n int32) Need  { return Need{Counter: c, Min: -many, Max: n} }
func room(c Counter) Need           { return Need{Counter: c, Min: -many, Room: true} }

func set(c Counter, n int32) Effect { return Effect{Counter: c, N: n, Set: true} }
func add(c Counter, n int32) Effect { return Effect{Counter: c, N: n} }
func byArg(c Counter) Effect        { return Effect{Counter: c, ByArg: true} }
