package progen

// slots declares what Size.Slots says.
func (g *generator) slots() {
	p := g.p
	p.Slots, p.Atomics, p.Vars = true, 1, g.r.IntN(2)
	for range 1 + g.r.IntN(2) {
		p.Chans = append(p.Chans, []int{0, 1, 1, 1, 1, 2, 2, 2, 3}[g.r.IntN(9)])
	}
	if g.oneIn(2) {
		p.Groups = 1
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: GroupAdd, Val: 1 + g.r.IntN(2)}) })
		g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Done}) })
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Join}) })
	}
	both := func() (enter, leave *Stmt) {
		c := g.chanOf()
		enter, leave = &Stmt{Op: Send, Obj: c, Src: -1}, &Stmt{Op: Recv, Obj: c, Reg: g.reg()}
		if g.oneIn(6) {
			enter, leave = leave, enter
		}
		return enter, leave
	}
	g.add(8, func() []*Stmt { return g.section(both()) })
	g.add(2, func() []*Stmt { return g.around(both()) })
	g.add(4, g.handed)
	g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Send, Obj: g.chanOf(), Src: -1}) })
	g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Recv, Obj: g.chanOf(), Reg: g.reg()}) })
	g.add(2, g.access)
	g.add(1, g.branch)
	if g.oneIn(3) {
		g.add(2, g.selects)
	}
	if g.oneIn(4) {
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Len, Obj: g.chanOf(), Reg: g.reg()}) })
	}
	if g.oneIn(4) {
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Close, Obj: g.chanOf()}) })
	}
}

// handed returns a send, and a go statement whose goroutine receives when it is done.
func (g *generator) handed() []*Stmt {
	if g.goroutines == 0 {
		return nil
	}
	g.goroutines--
	c := g.chanOf()
	body := g.access()
	if g.oneIn(4) {
		body = append(body, g.block(1)...)
	}
	g.left--
	return []*Stmt{{Op: Send, Obj: c, Src: -1},
		{Op: Go, Body: append(body, &Stmt{Op: Recv, Obj: c, Reg: g.reg()})}}
}
