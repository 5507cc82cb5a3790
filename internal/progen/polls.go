package progen

// polls declares what Size.Polls says.
func (g *generator) polls() {
	p := g.p
	p.Vars, p.Atomics = 1+g.r.IntN(2), g.r.IntN(2)
	p.Mutexes = 1 + g.r.IntN(2)
	if g.oneIn(2) {
		p.RWs = 1
	}
	g.add(5, g.pollLoop)
	g.add(7, func() []*Stmt {
		enter, leave := g.lock(g.oneIn(2))
		body := []*Stmt{enter}
		for n := 1 + g.r.IntN(2); n > 0; n-- {
			body = append(body, g.shared()...)
		}
		g.left -= 2
		return append(body, leave)
	})
	g.add(2, g.branch)
	if p.Atomics > 0 {
		g.add(2, g.store)
		g.add(1, g.load)
	}
	if g.size.Naps {
		g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Sleep, Val: g.duration()}) })
	}
	if g.oneIn(6) {
		g.add(1, g.write) // without a lock
	}
	if g.oneIn(4) {
		g.add(2, g.tryLocked)
		if p.RWs > 0 {
			g.add(2, g.rTried)
			g.add(1, g.rwTried)
		}
	}
	if g.oneIn(6) {
		p.Conds = []int{g.r.IntN(p.Mutexes)}
		g.add(2, g.waited)
		g.add(2, g.signalled)
	}
	if g.oneIn(6) {
		g.add(1, g.stray)
	}
	if g.oneIn(8) {
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Panic}) })
	}
}

// lock returns the two ends of a critical section. reads: it may be one of readers.
func (g *generator) lock(reads bool) (enter, leave *Stmt) {
	switch {
	case g.p.RWs > 0 && g.oneIn(2) && reads:
		return &Stmt{Op: RLock}, &Stmt{Op: RUnlock}
	case g.p.RWs > 0 && g.oneIn(2):
		return &Stmt{Op: RWLock}, &Stmt{Op: RWUnlock}
	}
	m := g.r.IntN(g.p.Mutexes)
	return &Stmt{Op: Lock, Obj: m}, &Stmt{Op: Unlock, Obj: m}
}

// shared returns an access to a variable or an atomic.
func (g *generator) shared() []*Stmt {
	switch n := g.r.IntN(8); {
	case n < 4:
		return g.one(&Stmt{Op: Write, Obj: g.r.IntN(g.p.Vars), Val: g.val(), Src: -1})
	case n < 6:
		return g.read()
	case g.p.Atomics > 0:
		return g.store()
	}
	return g.write()
}

// pollLoop returns a loop that polls under locks: one section, two in a row, or one within another;
// or one that begins with the lock held.
func (g *generator) pollLoop() []*Stmt {
	r := g.reg()
	look := &Stmt{Op: Read, Obj: g.r.IntN(g.p.Vars), Reg: r}
	if g.p.Atomics > 0 && g.oneIn(4) {
		look = &Stmt{Op: Load, Obj: g.r.IntN(g.p.Atomics), Reg: r}
	}
	enter, leave := g.lock(true)
	body := []*Stmt{enter, look, leave}
	switch g.r.IntN(6) {
	case 0:
		in, out := g.lock(true)
		if in.Op != enter.Op || in.Op == Lock && in.Obj != enter.Obj {
			body = []*Stmt{enter, in, look, out, leave}
		}
	case 1:
		in, out := g.lock(true)
		body = append(body, in, &Stmt{Op: Read, Obj: g.r.IntN(g.p.Vars), Reg: 1 - r}, out)
	case 2:
		body = append([]*Stmt{{Op: Read, Obj: g.r.IntN(g.p.Vars), Reg: 1 - r}}, body...)
	case 3:
		if g.p.Atomics > 0 {
			body = append(body, &Stmt{Op: Peek, Obj: g.r.IntN(g.p.Atomics)})
		}
	case 4:
		if g.oneIn(3) { // it changes something
			body = append(body[:2:2], &Stmt{Op: Write, Obj: g.r.IntN(g.p.Vars), Val: g.val(), Src: -1}, leave)
		}
	}
	s := &Stmt{Op: Poll, Reg: r, Val: g.val(), Body: body}
	if body[0] == enter && body[len(body)-1] == leave && g.oneIn(3) {
		s.Op = PollHeld
	}
	if g.size.Naps && g.oneIn(2) {
		s.Else = []*Stmt{{Op: Sleep, Val: g.duration()}}
	} else if g.oneIn(3) {
		s.Else = []*Stmt{{Op: Yield}}
	}
	g.left--
	return []*Stmt{s}
}
