// Package model says what heddle believes about Go's primitives: it is the one definition of what an operation on an object
// does, when it must wait, which two operations commute, which orders it gives, and what lets a waiting one go on.
//
// A Primitive is a table with a Rule for every outcome of every operation. A State is a few counters, whose names
// the Primitive tells. A rule applies where its needs are met; an operation that none of its rules applies to waits.
// Everything else is derived from the tables: Step and After replay executions, Waits and Enables tell what waits for what,
// Mode says what a rule means to others, and Conflict of two modes says whether their order matters.
//
// The tables are read against the documentation of package sync, the Go specification and the Go memory model; tests compare
// the commutations with what swapping two operations does in every small state, and the scheduler (rt/sched) with Step for every
// event of random programs. rt/sched keeps its own representation, which is faster.
//
// An operation that a Primitive has no rule for is unknown: it is always possible, its outcome is what it was, and it conflicts
// with every other operation on its object. That is sound, without any reduction.
//
// The package has no state and imports package trace alone, since it is compiled into the program under test.
package model

import "heddle/trace"

// An Object is what the rules must know of an object, beside its state.
type Object struct {
	Kind trace.ObjKind
	Cap  int32  // capacity of a channel
	Init uint64 // trace.Object.Init

	// Ordered: operations that commute as a rule turned out not to, see Rule.Ordered.
	Ordered bool
}

// A Counter is the index of one in a State.
type Counter uint8

// Counters is how many a State has.
const Counters = 3

// A State is what an object's past operations have left, as far as it decides about later ones.
type State [Counters]int32

// A Need is what a rule asks of a counter: at least Min and at most Max.
type Need struct {
	Counter  Counter
	Min, Max int32
	Room     bool // at most the capacity less one, in place of Max
}

// An Effect is what a rule does to a counter: it becomes N, or grows by N, or by the operation's argument.
type Effect struct {
	Counter Counter
	N       int32
	Set     bool
	ByArg   bool
}

// Outcome says which outcomes a rule is about.
type Outcome uint8

const (
	Exactly Outcome = iota // Rule.Arg
	Given                  // what the operation brings with it, such as the delta of an Add; Rule.Sign bounds it
	Before                 // the value of counter 0 before the operation
	After                  // and after it
)

// Order is a set of the orders that the Go memory model derives from an operation.
type Order uint8

const (
	Acquires  Order = 1 << iota // what was released at the object before happens before what follows
	Releases                    // what came before happens before what acquires at the object later
	Replaces                    // Releases, and earlier releases no longer count
	ByPartner                   // the order is with the event Event.Partner alone: signals, sends and receives
)

// Section says what a rule does to the critical section of its goroutine.
type Section uint8

const (
	Outside     Section = iota
	Enter               // with the exclusive right
	EnterShared         // as one of several readers
	Leave
	LeaveShared
)

// Enters and Leaves report whether s begins a critical section, or ends one.
func (s Section) Enters() bool { return s == Enter || s == EnterShared }
func (s Section) Leaves() bool { return s == Leave || s == LeaveShared }

// A Rule is one outcome of an operation.
type Rule struct {
	Op      trace.Op
	Outcome Outcome
	Arg     int32 // of Exactly
	Sign    int   // of Given: -1, 0 or 1, that of the argument; see anySign
	Needs   []Need
	Effects []Effect

	// When restricts the rule to channels with or without a buffer.
	When When

	Meets  bool // it is one step with the other side's operation: an unbuffered channel
	Polls  bool // the operation is a case of a select that does not wait, and was not ready
	Unseen bool // no other operation can notice it
	Panics bool

	Mode    Mode
	Ordered Mode // in place of Mode where Object.Ordered says so; Read: the same
	Order   Order
	Section Section
}

// When says of which channels a rule is.
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
	Counters []string // their names, in the order of State
	Initial  func(o *Object) State
	Rules    []Rule
	Blocking []trace.Op // operations that no rule applies to in some state

	byOp    [trace.OpMax][]Rule
	settles bool
}

// primitives are all there are, by kind.
var primitives [256]*Primitive

// unknown is the primitive of kinds without a definition.
var unknown = &Primitive{Kind: trace.ObjOther}

// ObjectOf returns what the rules must know of an object of a trace, and its definition.
func ObjectOf(o *trace.Object) (*Primitive, Object) {
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
		}
		primitives[p.Kind] = p
	}
	for _, p := range ps {
		for i := range p.Rules {
			r := &p.Rules[i]
			_, ok := p.Settled(&Object{Kind: p.Kind}, r.Op, r.Arg)
			p.settles = p.settles || ok && p.Counters != nil
		}
	}
	return true
}

var _ = register(mutex, rwmutex, cond, waitgroup, once, channel, semaphore, atomic, memory, syncMap, pool, timer)

// Of returns the definition of a kind of object. It is never nil: of kinds that are not defined every operation is unknown.
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

// Step says what op does at an object in state s; arg is what the operation brings with it, or its outcome where nothing
// decides about that. It returns the rule that applies, the outcome as trace.Event.Arg has it, and the next state. The rule is nil if op must wait.
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
	for _, n := range r.Needs { // what it was, even if the execution does not show how it became so
		if n.Min == n.Max && !n.Room {
			s[n.Counter] = n.Min
		}
	}
	return r.apply(s, outcome)
}

// Rule returns the rule of an operation with that outcome: its first rule where the outcome is none that a rule has, as that of an
// operation that was announced and not done; nil if the operation is unknown.
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

// Settled returns the state after an operation with that outcome, if that does not depend on what came before it.
func (p *Primitive) Settled(o *Object, op trace.Op, outcome int32) (s State, ok bool) {
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

// Settles reports whether there are operations that Settled is true of.
func (p *Primitive) Settles() bool { return p.settles }

// Waits reports whether there is a state in which op must wait.
func (p *Primitive) Waits(op trace.Op) bool {
	for _, w := range p.Blocking {
		if w == op {
			return true
		}
	}
	return false
}

// Blames reports whether an operation with that outcome is one of those that make op wait in state s: without it a
// counter would be closer to what op needs.
func (p *Primitive) Blames(o *Object, s State, op trace.Op, by trace.Op, outcome int32) bool {
	cause := p.Rule(o, by, outcome)
	return cause != nil && p.moves(o, s, op, cause, outcome, false)
}

// Enables reports whether an operation with that outcome brings a counter closer to what op needs, which waits in state s.
func (p *Primitive) Enables(o *Object, s State, op trace.Op, by trace.Op, outcome int32) bool {
	cause := p.Rule(o, by, outcome)
	return cause != nil && p.moves(o, s, op, cause, outcome, true)
}

// Helps reports whether an operation with that outcome can let op go on, which waits at the same object: whether there is a state
// in which it Enables op, or it is the other side of what op does.
func (p *Primitive) Helps(o *Object, op trace.Op, by trace.Op, outcome int32) bool {
	if op == trace.OpCondWake {
		return by == trace.OpSignal || by == trace.OpBroadcast
	}
	cause := p.Rule(o, by, outcome)
	if cause == nil || cause.Panics {
		return false
	}
	for i := range p.byOp[op] {
		r := &p.byOp[op][i]
		if !r.when(o) {
			continue
		}
		if r.Meets && cause.Meets && op != by {
			return true
		}
		for _, n := range r.Needs {
			low, high := n.Bounds(o)
			for _, e := range cause.Effects {
				d := e.N
				if e.ByArg {
					d = outcome
				}
				switch {
				case e.Counter != n.Counter || r.Panics:
				case e.Set && e.N >= low && e.N <= high, !e.Set && d > 0 && low > -many, !e.Set && d < 0 && high < many:
					return true
				}
			}
		}
	}
	return false
}

// Orders returns the orders that the Go memory model derives from an operation with that outcome.
func (p *Primitive) Orders(o *Object, op trace.Op, outcome int32) Order {
	if r := p.Rule(o, op, outcome); r != nil {
		return r.Order
	}
	return unknownRule.Order
}

// SectionOf returns what an operation with that outcome does to the critical section of its goroutine.
func (p *Primitive) SectionOf(o *Object, op trace.Op, outcome int32) Section {
	if r := p.Rule(o, op, outcome); r != nil {
		return r.Section
	}
	return Outside
}

// moves reports whether cause moves a counter that op waits for in state s, towards its need or away from it.
func (p *Primitive) moves(o *Object, s State, op trace.Op, cause *Rule, outcome int32, towards bool) bool {
	for i := range p.byOp[op] {
		r := &p.byOp[op][i]
		if !r.when(o) {
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

// Mode returns what an operation with that outcome means to others. seen is false if no other operation can notice it.
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

// unknownRule is that of operations without a definition.
var unknownRule = Rule{Outcome: Given, Sign: anySign, Mode: Write, Ordered: Write, Order: Acquires | Releases}

// reads reports whether an operation without a rule only looks.
func reads(op trace.Op) bool {
	switch op {
	case trace.OpRead, trace.OpAtomicLoad, trace.OpMapLoad, trace.OpMapRange, trace.OpAwait:
		return true
	}
	return false
}

// unseen reports whether no other operation can notice one without a rule: it only tells what another did.
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

// met reports whether the needs of r are met in s.
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

// apply returns the state after r.
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
