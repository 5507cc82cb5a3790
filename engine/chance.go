package engine

import (
	"slices"
	"time"

	"heddle/explore"
	"heddle/rt/decoded"
	"heddle/rt/wire"
	"heddle/symbolic"
	"heddle/symbolic/corpus"
	"heddle/symbolic/mutate"
)

// Inputs by chance (symbolic/mutate), between those that the solver offers, and where it has none
// to offer: hybrid fuzzing (Yun et al., "QSYM", USENIX Security 2018), in one process. Inputs that
// take new branches of the program, as its compiler counts them, are changed in turn; what comes of
// it is executed once, in an order of its own, and without expressions, which takes a fraction of
// the time. An input that takes new branches is made shorter and explored as those of the solver
// are, so that its branches are asked about; and inputs of the solver that take new branches are
// changed too.

// chance is the search for inputs by chance, in a process that executes them.
type chance struct {
	e       *exploration
	mutator *mutate.Mutator
	known   map[string]*parent // what was offered
	offers  []*parent          // that were explored, and are to be counted
	parents []*parent
	firsts  []*parent        // those that took a branch that none had taken before
	latest  []*parent        // whose first turn it is not yet
	kinds   []*kind          // of those that were explored
	fair    int              // executions in turns of kinds
	byKind  map[uint64]*kind // by the sides
	found   func(wire.Fresh) // is called with inputs that are to be explored
	idle    int              // so many offers one after the other took no new branch
	n       int              // executions
	end     int              // so many are the last; 0: there is no such bound
	slow    bool             // one took long
	took    time.Duration    // the last one
}

// A parent is an input that others are made of.
type parent struct {
	values  []any
	length  int      // of its texts
	threads int      // goroutines in an execution with it
	first   bool     // it took a branch that none had taken before
	own     bool     // it was found by chance
	typed   bool     // it was made by its type
	news    []uint32 // what was new, see wire.Result
	took    time.Duration
	turns   int
	decoded []decoded.Call // in an execution with it
	kind    *kind          // nil: it was not explored yet
}

// A kind is what parents have in common that take the same sides of branches on the input in the
// program's own code.
type kind struct {
	parents []*parent
	spent   int // executions with inputs made of these, those that take a millisecond twice
}

// dear is how little it is a kind's turn: as that of the least dear of its parents, if that had
// had these executions.
func (k *kind) dear() int {
	least := 0
	for i, p := range k.parents {
		if d := p.dear() / (1 + p.turns); i == 0 || d < least {
			least = d
		}
	}
	return (1 + k.spent/perTurn) * least
}

// dear is how little it is a parent's turn.
func (p *parent) dear() int {
	d := (1 + p.turns) * (32 + p.length)
	if p.typed { // it is as long as its type wants it, and there is more to it than what it is made of
		d = (1 + p.turns) * 8
	}
	if !p.first {
		d *= 4
	}
	return d * (1 + int(p.took/time.Millisecond))
}

// How many inputs are made of a parent in a turn, in its first turn, and of what the first one is
// compared with, and any of them; and how many executions may make one shorter.
const (
	perTurn      = 32
	perFirst     = 256
	mostMatches  = 600
	fewMatches   = 60
	mostShorter  = 120
	worthShorter = 8 // bytes
	// no first turn is to take much longer, where a turn of perTurn does not
	firstTime = 200 * time.Millisecond
)

// newChance returns the search for inputs of the test by a seed.
func (e *exploration) newChance(seed uint64, found func(wire.Fresh)) *chance {
	return &chance{e: e, mutator: mutate.New(seed, e.cfg.Constants, e.test),
		known: map[string]*parent{}, byKind: map[uint64]*kind{}, found: found}
}

// offer takes an input that was explored, with the sides that it takes, see sidesOf. Whether it
// takes new branches is seen at the next run.
func (c *chance) offer(o wire.Offer) {
	key := inputKey(o.Values)
	p := c.known[key]
	if p == nil {
		values, err := corpus.Values(o.Values)
		if p = (&parent{values: values}); err == nil {
			c.offers = append(c.offers, p)
		}
		c.known[key] = p
	}
	if o.Sides == 0 || p.kind != nil {
		return
	}
	if p.kind = c.byKind[o.Sides]; p.kind == nil {
		p.kind = &kind{}
		c.byKind[o.Sides] = p.kind
	}
	c.classify(p)
}

// classify puts a parent that took a branch first with those of its kind.
func (c *chance) classify(p *parent) {
	if p.kind == nil || !p.first {
		return
	}
	if len(p.kind.parents) == 0 {
		c.kinds = append(c.kinds, p.kind)
	}
	p.kind.parents = append(p.kind.parents, p)
}

// run executes about n inputs, by at most most executions (0: there is no such bound), and returns
// how many that took; 0: there is no input to begin with.
func (c *chance) run(n, most int) int {
	e, before := c.e, c.n
	if c.end = 0; most > 0 {
		c.end = c.n + most
	}
	paths, input, bound := e.paths, e.input, e.most
	e.paths, e.most = nil, 0 // without expressions
	defer func() { e.paths, e.input, e.most = paths, input, bound }()
	for len(c.offers) > 0 && !c.over() {
		p := c.offers[0]
		c.offers = c.offers[1:]
		c.idle++
		if c.saw(p, c.execute(p, p.values, &wire.Request{Count: true})) {
			c.idle = 0
			// one of many seeds was not explored yet
			c.found(wire.Fresh{Values: corpus.Texts(p.values), First: p.first})
		}
	}
	for c.n < before+n && !c.over() && len(c.parents) > 0 {
		began := c.n
		if k := c.least(); k != nil && c.fair <= c.share() {
			c.turn(c.pickOf(k))
			c.fair += c.n - began
		} else {
			c.turn(c.pick())
		}
	}
	return c.n - before
}

// over reports whether there is to be no other execution.
func (c *chance) over() bool {
	e := c.e
	return e.ended() || c.end > 0 && c.n >= c.end || c.n%8 == 0 && e.late()
}

// saw makes an input a parent if its execution took new branches, and reports whether it did.
func (c *chance) saw(p *parent, ex Execution) bool {
	if len(ex.News) == 0 {
		return false
	}
	p.length, p.threads = symbolic.Length(p.values), len(ex.Trace.Goroutines)
	p.first, p.news = ex.NewBranches > 0, ex.News
	c.parents = append(c.parents, p)
	if p.first {
		c.firsts = append(c.firsts, p)
	}
	c.classify(p)
	c.latest = append(c.latest, p)
	p.took = c.took
	return true
}

// share returns how many executions kinds may have: half of them where kinds are few, as then an
// input that came further in the program's own code than all others would be one of hundreds that
// differ in what a library did; none where each parent is of a kind of its own.
func (c *chance) share() int { return c.n / 2 * (len(c.firsts) - len(c.kinds)) / len(c.firsts) }

// pickOf returns the parent of a kind whose turn it is.
func (c *chance) pickOf(k *kind) *parent {
	p := c.leastOf(func() *parent { return k.parents[c.mutator.N(len(k.parents))] })
	if i := slices.Index(c.latest, p); i >= 0 {
		c.latest = slices.Delete(c.latest, i, i+1)
	}
	return p
}

// pick returns the parent whose turn it is of all: new ones first, the least dear of them, else the
// least dear of some.
func (c *chance) pick() *parent {
	if len(c.latest) > 0 {
		best := 0
		for i, p := range c.latest {
			if d := p.dear() - c.latest[best].dear(); d < 0 || d == 0 && p.typed && c.mutator.N(2) == 0 {
				best = i
			}
		}
		p := c.latest[best]
		c.latest = slices.Delete(c.latest, best, best+1)
		return p
	}
	return c.leastOf(c.any)
}

// drawn is of how many that are drawn the least dear one is taken.
const drawn = 5

// leastOf returns the least dear of some that are drawn.
func (c *chance) leastOf(draw func() *parent) *parent {
	best := draw()
	for range drawn - 1 {
		if p := draw(); p.dear() < best.dear() {
			best = p
		}
	}
	return best
}

// least returns the least dear of some kinds; nil: there are not two.
func (c *chance) least() (best *kind) {
	if len(c.kinds) < 2 {
		return nil
	}
	for range drawn {
		if k := c.kinds[c.mutator.N(len(c.kinds))]; best == nil || k.dear() < best.dear() {
			best = k
		}
	}
	return best
}

// newest is how many are the latest at least, beside an eighth of all.
const newest = 8

// any draws a parent: one that took a new branch in three quarters of the cases, half of them one
// of the latest, as what it took was the hardest to come to.
func (c *chance) any() *parent {
	from := c.parents
	switch n := len(c.firsts); c.mutator.N(8) {
	case 0, 1:
	case 2, 3, 4:
		from = c.firsts
	default:
		from = c.firsts[n-min(n, newest+n/8):]
	}
	if len(from) == 0 {
		from = c.parents
	}
	return from[c.mutator.N(len(from))]
}

// most returns how many inputs are made of a parent's comparisons in its first turn.
func (p *parent) most() int {
	if p.took == 0 {
		return mostMatches
	}
	return min(mostMatches, max(perTurn, int(firstTime/p.took)))
}

// turn makes inputs of a parent.
func (c *chance) turn(p *parent) {
	n, before, most := perTurn, c.n, p.most()
	defer func() {
		if p.kind != nil {
			p.kind.spent += (c.n - before) * (1 + int(p.took/time.Millisecond))
		}
	}()
	if p.turns == 0 {
		if p.own {
			c.shorten(p)
			input := corpus.Texts(p.values)
			c.known[inputKey(input)] = p
			c.found(wire.Fresh{Values: input, First: p.first})
		}
		if c.match(p, p.values, most); p.first {
			n = min(perFirst, most)
			if p.typed {
				n /= 2
			}
		}
	}
	p.turns++
	for i := range n {
		if c.over() {
			return
		}
		in, typed := []any(nil), false
		if len(p.decoded) > 0 && c.mutator.N(2) == 0 {
			in, typed = c.mutator.Typed(p.values, p.decoded)
		}
		if !typed {
			in = c.mutator.Change(p.values, c.any().values)
		}
		switch {
		case i%perTurn == 0:
			c.match(p, in, fewMatches)
		case typed:
			c.tryTyped(p, in)
		default:
			c.try(p, in, false)
		}
	}
}

// match executes an input made of a parent, and most that have one side of its comparisons where it
// has the other.
func (c *chance) match(p *parent, values []any, most int) {
	if c.over() {
		return
	}
	ex := c.try(p, values, true)
	if len(values) > 0 && &values[0] == &p.values[0] {
		p.decoded = ex.Decoded
	}
	for _, in := range c.mutator.MatchTyped(values, ex.Decoded, ex.Compared, most/4) {
		if c.over() {
			return
		}
		c.tryTyped(p, in)
	}
	if p.typed { // most of what is compared is what its bytes mean
		most /= 8
	}
	for _, in := range c.mutator.Match(values, ex.Compared, most) {
		if c.over() {
			return
		}
		c.try(p, in, false)
	}
}

// shorten makes a parent shorter as long as what was new with it stays.
func (c *chance) shorten(p *parent) {
	if p.length < worthShorter {
		return
	}
	end := c.n + mostShorter
	p.values = corpus.Smaller(p.values, func(values []any) bool {
		q := wire.Request{Count: true, News: p.news}
		return c.execute(p, slices.Clone(values), &q).Still
	}, func() bool { return c.n >= end || c.over() })
	p.length = symbolic.Length(p.values)
}

// try executes an input made of a parent.
func (c *chance) try(p *parent, values []any, compare bool) Execution {
	ex := c.execute(p, values, &wire.Request{Count: true, Compare: compare})
	c.saw(&parent{values: values, own: true}, ex)
	return ex
}

// tryTyped executes an input made by the type that the program decodes to.
func (c *chance) tryTyped(p *parent, values []any) {
	ex := c.execute(p, values, &wire.Request{Count: true})
	c.saw(&parent{values: values, own: true, typed: true}, ex)
}

// execute executes an input as q says: in an order by lot, where that of its parent had goroutines
// to choose from.
func (c *chance) execute(p *parent, values []any, q *wire.Request) Execution {
	e := c.e
	s := e.schedule(0, "first")
	if p.threads > 3 && !q.Compare && q.News == nil {
		s = e.schedule(2+c.n, e.unit.Policy)
	}
	c.n++
	e.input = corpus.Texts(values)
	q.Schedule, q.Given = *s, values
	began := time.Now()
	e.brief = began.Add(longest)
	ex := e.execute(q, explore.Needs{})
	e.brief = time.Time{}
	if e.err != nil {
		return ex
	}
	c.pace(time.Since(began))
	if c.took = 0; e.cfg.Runs == 0 {
		c.took = time.Since(began)
	}
	ex = e.look(ex, s, "")
	e.tell()
	return ex
}

// An execution may take longest, as far as it makes steps. One that takes slow makes numbers that
// are drawn from now on smaller: loops count to them. Until there was one they become greater
// after every perSize executions.
// Texts become longer after every perLength executions, and shorter after one that took long
// against the shortest one.
const (
	longest   = time.Second
	slow      = 20 * time.Millisecond
	perSize   = 512
	long      = time.Millisecond
	perLength = 2048
)

// pace takes how long an execution took. Where executions are counted, inputs must not depend on
// time.
func (c *chance) pace(d time.Duration) {
	if c.e.cfg.Runs > 0 {
		d = 0
	}
	switch {
	case d > long && d > 8*c.e.shortest:
		c.mutator.Shorter()
	case c.n%perLength == 0:
		c.mutator.Longer()
	}
	switch {
	case d > slow && d > 4*c.e.shortest:
		c.mutator.Smaller()
		c.slow = true
	case !c.slow && c.n%perSize == 0:
		c.mutator.Greater()
	}
}

// left returns how many executions may be made; 0: there is no such bound.
func (x *inputSearch) left() int {
	if x.e.cfg.Runs == 0 {
		return 0
	}
	return max(1, x.e.cfg.Runs-x.total)
}

// byChance executes about n inputs by chance, in this process or by others, and reports whether
// there were any.
func (x *inputSearch) byChance(n int) bool {
	began := time.Now()
	defer func() { x.tookChances += time.Since(began) }()
	switch {
	case x.e.cfg.Solved, x.p.cases:
		return false
	case x.crew != nil:
		return x.chanceElsewhere(n)
	case x.e.here == nil:
		return false // each execution has a process of its own
	}
	if x.chance == nil {
		x.chance = x.e.newChance(x.e.cfg.Seed, func(f wire.Fresh) {
			x.p.addFound(f)
			x.e.keepInput(f.Values)
		})
	}
	for _, o := range x.offersOf(x.explored[x.offered:]) {
		x.chance.offer(o)
	}
	for _, input := range x.p.seeds {
		x.chance.offer(wire.Offer{Values: input})
	}
	x.offered, x.p.seeds = len(x.explored), nil
	x.e.n = x.total
	made := x.chance.run(n, x.left())
	x.total, x.chances, x.idle = x.e.n, x.chances+made, x.chance.idle
	return made > 0
}

// Others make inputs by chance for elsewhereTime at a time, of the mostOffers inputs that were
// explored last, beside those that they know.
const (
	elsewhereTime = 200 * time.Millisecond
	mostOffers    = 64
	mostCampaigns = 16 // at a time
)

// chanceElsewhere lets the crew make inputs by chance: one worker, and all others that have nothing
// to do.
func (x *inputSearch) chanceElsewhere(executions int) bool {
	var begun []int
	for len(begun) == 0 || x.e.cfg.Runs == 0 && len(begun) < mostCampaigns && x.crew.Hungry() {
		begun = append(begun, x.campaign(16*executions, elsewhereTime))
	}
	made := 0
	for _, n := range begun {
		w, err := x.crew.Explored(n)
		if err != nil {
			x.e.err = err
			return false
		}
		made += x.takeCampaign(w)
	}
	return made > 0
}

// campaign lets a worker make about n inputs by chance, for a time, and returns a number for that.
func (x *inputSearch) campaign(n int, d time.Duration) int {
	in := wire.Input{Chance: n, Most: x.left(), Seed: mix(x.e.cfg.Seed, uint64(x.campaigns))}
	in.Offers = x.offersOf(x.explored[max(0, len(x.explored)-mostOffers):])
	seeds := min(len(x.p.seeds), mostOffers)
	for _, input := range x.p.seeds[:seeds] {
		in.Offers = append(in.Offers, wire.Offer{Values: input})
	}
	x.p.seeds = x.p.seeds[seeds:]
	x.campaigns++
	return x.crew.Begin(&in, earlier(time.Now().Add(d), x.deadline()))
}

// offersOf returns what inputs are offered with to be changed.
func (x *inputSearch) offersOf(explored []job) (offers []wire.Offer) {
	for _, j := range explored {
		offers = append(offers, wire.Offer{Values: j.input, Sides: x.p.sides[inputKey(j.input)]})
	}
	return offers
}

// takeCampaign takes what came of one, and returns the number of its executions.
func (x *inputSearch) takeCampaign(w *wire.Worked) int {
	for _, f := range w.Explored.Fresh {
		x.p.addFound(f)
		x.e.keepInput(f.Values)
	}
	x.idle = min(x.idle+mostOffers, w.Explored.Idle)
	x.take(job{}, w)
	x.chances += w.Tally.Executions
	return w.Tally.Executions
}

// chanceOn makes inputs by chance as the Item says.
func (w *Worker) chanceOn() {
	e, in := w.e, w.item.Input
	e.know(w.item.Know)
	e.real, e.nondet, e.whole = in.Real, in.Nondet, e.isWhole()
	defer func() { e.whole, e.input = true, nil }()
	if w.chance == nil {
		w.chance = e.newChance(in.Seed, nil)
	}
	x := &wire.Explored{}
	w.chance.found = func(f wire.Fresh) { x.Fresh = append(x.Fresh, f) }
	for _, o := range in.Offers {
		w.chance.offer(o)
	}
	e.before, e.n = e.found, 0
	w.chance.run(in.Chance, in.Most)
	x.Idle = w.chance.idle
	w.explored(x)
}
