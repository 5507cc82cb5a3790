package progen

// Statements, one kind a function.

func (g *generator) read() []*Stmt {
	return g.one(&Stmt{Op: Read, Obj: g.r.IntN(g.p.Vars), Reg: g.reg()})
}

func (g *generator) write() []*Stmt {
	return g.one(&Stmt{Op: Write, Obj: g.r.IntN(g.p.Vars), Val: g.val(), Src: g.src()})
}

// updates adds statements that change a variable or an atomic by an operator.
func (g *generator) updates(ops ...Op) {
	if !g.size.Updates {
		return
	}
	g.add(14, func() []*Stmt {
		op, n := ops[g.r.IntN(len(ops))], g.p.Vars
		if classes[op] == anAtomic {
			n = g.p.Atomics
		}
		return g.one(&Stmt{Op: op, Obj: g.r.IntN(n), Val: g.val()})
	})
}

// maps adds a map and the statements about it.
func (g *generator) maps() {
	if !g.size.Maps {
		return
	}
	g.p.Maps = 1
	ops := []Op{MapPut, MapPut, MapPut, MapGet, MapGet, MapLen, MapDrop, MapClear}
	one := func() *Stmt {
		return &Stmt{Op: ops[g.r.IntN(len(ops))], Val: g.val(), Val2: g.r.IntN(3), Src: g.src(),
			Reg: g.reg()}
	}
	g.add(18, func() []*Stmt { return g.one(one()) })
	if g.size.Growth {
		g.p.Maps = 1 + g.r.IntN(2)
		g.add(18, func() []*Stmt { return g.one(g.growth(one, 0)) })
	}
}

// growth returns a statement that looks at how much a map grows while others, that one returns, or
// any if the map is not guarded, change it or another one.
func (g *generator) growth(one func() *Stmt, deep int) *Stmt {
	s := &Stmt{Op: MapGrow, Obj: g.r.IntN(g.p.Maps), Reg: g.reg()}
	if g.size.Guarded {
		s.Val2 = max(0, g.r.IntN(8)-4)
	} else if g.oneIn(3) {
		s.Body = g.block(2)
	}
	for range 1 + g.r.IntN(2) {
		x := one()
		switch {
		case deep < 1 && g.oneIn(6):
			x = g.growth(one, deep+1)
			x.Val2, x.Obj = 0, s.Obj
		case g.size.Guarded || !g.oneIn(4):
			x.Obj = s.Obj
		default:
			x.Obj = g.r.IntN(g.p.Maps)
		}
		s.Body = append(s.Body, x)
	}
	return s
}

func (g *generator) load() []*Stmt {
	return g.one(&Stmt{Op: Load, Obj: g.r.IntN(g.p.Atomics), Reg: g.reg()})
}

func (g *generator) store() []*Stmt {
	return g.one(&Stmt{Op: Store, Obj: g.r.IntN(g.p.Atomics), Val: g.val(), Src: g.src()})
}

func (g *generator) atomicAdd() []*Stmt {
	return g.one(&Stmt{Op: Add, Obj: g.r.IntN(g.p.Atomics), Val: g.val(), Reg: g.reg()})
}

func (g *generator) cas() []*Stmt {
	return g.one(&Stmt{Op: CAS, Obj: g.r.IntN(g.p.Atomics), Val: g.r.IntN(3), Val2: g.val(), Reg: g.reg()})
}

func (g *generator) spinLoad() []*Stmt {
	return g.one(&Stmt{Op: SpinLoad, Obj: g.r.IntN(g.p.Atomics), Val: g.val(), Body: g.slow()})
}

func (g *generator) spinCAS() []*Stmt {
	return g.one(&Stmt{Op: SpinCAS, Obj: g.r.IntN(g.p.Atomics), Val: g.r.IntN(3), Val2: g.val(),
		Body: g.slow()})
}

func (g *generator) locked() []*Stmt {
	m := g.r.IntN(g.p.Mutexes)
	return g.around(&Stmt{Op: Lock, Obj: m}, &Stmt{Op: Unlock, Obj: m})
}

func (g *generator) tryLocked() []*Stmt { return g.tried(TryLock, Unlock, g.r.IntN(g.p.Mutexes)) }
func (g *generator) rwLocked() []*Stmt  { return g.around(&Stmt{Op: RWLock}, &Stmt{Op: RWUnlock}) }
func (g *generator) rLocked() []*Stmt   { return g.around(&Stmt{Op: RLock}, &Stmt{Op: RUnlock}) }
func (g *generator) rwTried() []*Stmt   { return g.tried(RWTry, RWUnlock, 0) }
func (g *generator) rTried() []*Stmt    { return g.tried(RTry, RUnlock, 0) }

// waited returns m.Lock(); cond.Wait(); m.Unlock().
func (g *generator) waited() []*Stmt {
	m := g.p.Conds[0]
	g.left -= 3
	return []*Stmt{{Op: Lock, Obj: m}, {Op: Wait}, {Op: Unlock, Obj: m}}
}

// signalled returns a signal or broadcast, with or without the lock.
func (g *generator) signalled() []*Stmt {
	s := &Stmt{Op: Signal}
	if g.oneIn(3) {
		s.Op = Cast
	}
	g.left--
	if g.oneIn(2) {
		return []*Stmt{s}
	}
	m := g.p.Conds[0]
	g.left -= 2
	return []*Stmt{{Op: Lock, Obj: m}, s, {Op: Unlock, Obj: m}}
}

func (g *generator) once() []*Stmt {
	g.left--
	return []*Stmt{{Op: Once, Body: g.block(2)}}
}

func (g *generator) after() []*Stmt {
	g.left--
	d := g.duration()
	return []*Stmt{{Op: After, Val: d, Body: g.block(2)}}
}

func (g *generator) branch() []*Stmt {
	if g.depth > 2 || g.left < 1 {
		return nil
	}
	return g.branchOn(g.reg())
}

// branchOn returns an if on a register.
func (g *generator) branchOn(reg int) []*Stmt {
	s := &Stmt{Op: If, Reg: reg, Val: g.r.IntN(3)}
	s.Body = g.block(2)
	if g.oneIn(2) {
		s.Else = g.block(1)
	}
	if len(s.Body)+len(s.Else) == 0 {
		return nil
	}
	return []*Stmt{s}
}

func (g *generator) repeat() []*Stmt {
	if g.depth > 1 || g.left < 2 || g.timed && !g.size.Loose {
		return nil
	}
	before := g.left
	body := g.block(1)
	g.left -= before - g.left // they are executed twice
	if len(body) == 0 {
		return nil
	}
	return []*Stmt{{Op: Repeat, Val: 2, Body: body}}
}

func (g *generator) selects() []*Stmt {
	g.left -= 2
	s := &Stmt{Op: Select, Def: g.oneIn(3)}
	for range 1 + g.r.IntN(3) {
		c := Case{Send: g.oneIn(2), Obj: g.chanOf(), Val: g.val(), Reg: g.reg()}
		if !s.Def && g.timed && g.oneIn(3) {
			c = Case{After: g.duration(), Reg: g.reg()}
		}
		if g.oneIn(3) {
			c.Body = g.block(1)
		}
		s.Cases = append(s.Cases, c)
	}
	if s.Def && g.oneIn(3) {
		s.Else = g.block(1)
	}
	return []*Stmt{s}
}

// stray returns half of a critical section.
func (g *generator) stray() []*Stmt {
	switch {
	case g.p.Mutexes > 0 && g.oneIn(2):
		return g.one(&Stmt{Op: []Op{Lock, Unlock}[g.r.IntN(2)], Obj: g.r.IntN(g.p.Mutexes)})
	case g.p.RWs > 0:
		return g.one(&Stmt{Op: []Op{RLock, RUnlock, RWLock, RWUnlock}[g.r.IntN(4)]})
	}
	return nil
}
