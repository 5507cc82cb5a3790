package progen

import "slices"

// Programs whose goroutines have loops that forget: Size.Loops.

// loops returns the body of main for Size.Loops: each goroutine has a loop. In some programs all
// loops hold a mutex, but where they pass it on.
func (g *generator) loops() []*Stmt {
	if len(g.p.Chans) > 0 && !g.size.Guarded && g.oneIn(2) {
		return g.remembers()
	}
	ranges := len(g.p.Chans) > 0 && g.oneIn(2)
	held := g.p.Mutexes > 0 && !g.oneIn(3)
	body := func() []*Stmt {
		list := g.loop(held)
		if held {
			list = append(append(g.one(&Stmt{Op: Lock}), list...), &Stmt{Op: Unlock})
		}
		return list
	}
	var main []*Stmt
	for ; g.goroutines > 0; g.goroutines-- {
		s := &Stmt{Op: Go, Body: body()}
		if ranges {
			s.Body = append(g.works(held), s.Body...)
		}
		main = append(main, s)
	}
	if ranges {
		for n := g.r.IntN(4); n > 0; n-- {
			main = append(main, &Stmt{Op: Send, Val: g.val(), Src: g.src()})
		}
	}
	main = append(main, body()...)
	if ranges {
		main = append(main, &Stmt{Op: Close})
	}
	return main
}

// remembers returns the body of main for Size.Loops, where a goroutine receives what others send,
// one value after the other, and remembers in a register or a variable of its own whether one of
// them has come, perhaps only for a while. Then it shows that.
func (g *generator) remembers() []*Stmt {
	own, others := g.p.Vars, g.oneIn(4)
	if !others { // all variables are one allocation
		own, g.p.Vars = 0, 0
	}
	g.p.Vars++
	const seen = 7
	r := func(s *Stmt) []*Stmt { return []*Stmt{s} }
	between := func(list []*Stmt) []*Stmt { // something that others can come before
		if g.p.Mutexes > 0 && g.oneIn(2) {
			return append(list, &Stmt{Op: Lock}, &Stmt{Op: Unlock})
		}
		return append(list, &Stmt{Op: Yield})
	}
	var take, body []*Stmt
	forgotten := g.r.IntN(1 << Registers)
	if g.oneIn(2) { // what is remembered moves to the register for a while
		forgotten = 1<<Registers - 1
		take = []*Stmt{{Op: Read, Obj: own, Reg: 1}, {Op: Write, Obj: own, Src: -1}}
		body = r(&Stmt{Op: Write, Obj: own, Src: 1})
	}
	values := []int{1, 2, 3, 4}
	set := r(&Stmt{Op: Write, Obj: own, Val: seen, Src: -1})
	if g.oneIn(3) {
		set = append(set, &Stmt{Op: Read, Obj: own, Reg: 1})
	}
	test := &Stmt{Op: If, Reg: 0, Val: values[g.r.IntN(4)], Body: set}
	if g.oneIn(3) { // it comes after another one
		test = &Stmt{Op: If, Reg: 1, Val: seen, Else: r(test),
			Body: r(&Stmt{Op: Write, Obj: own, Val: 1 + g.r.IntN(9), Src: 0})}
	}
	if g.oneIn(3) { // or it is forgotten
		test.Else = append(test.Else, &Stmt{Op: Write, Obj: own, Val: g.r.IntN(2), Src: -1})
	}
	body = append(body, test)
	if g.oneIn(3) {
		body = between(body)
	}
	if others {
		if list := g.statement(); !sends(list) {
			body = append(body, list...)
		}
	}
	loop := &Stmt{Op: Work, Reg: 0, Val2: forgotten}
	if g.oneIn(2) {
		loop.Body = append(between(take), body...)
	} else {
		loop = &Stmt{Op: Repeat, Val: 3 + g.r.IntN(2), Val2: forgotten,
			Body: append(append(take, &Stmt{Op: Recv, Reg: 0}), body...)}
	}
	show := []*Stmt{{Op: Read, Obj: own, Reg: 1}, {Op: If, Reg: 1, Val: seen, Body: r(&Stmt{Op: Panic})}}
	if g.oneIn(3) {
		show = show[1:]
	}
	consumer := append(r(loop), show...)
	send := func(values []int) (list []*Stmt) {
		for _, v := range values {
			list = append(list, &Stmt{Op: Send, Val: v, Src: -1})
		}
		return list
	}
	var main []*Stmt
	at := 1 + g.r.IntN(3)
	main = append(main, &Stmt{Op: Go, Body: send(values[:at])})
	if g.oneIn(3) { // two that receive
		main = append(main, &Stmt{Op: Go, Body: []*Stmt{{Op: Repeat, Val: 2, Val2: 3,
			Body: between(r(&Stmt{Op: Recv, Reg: 0}))}}})
	}
	if g.oneIn(2) {
		main = append(main, &Stmt{Op: Go, Body: send(values[at:])})
		return append(main, consumer...)
	}
	main = append(main, &Stmt{Op: Go, Body: consumer})
	main = append(main, send(values[at:])...)
	if g.oneIn(2) {
		main = append(main, &Stmt{Op: Close})
	}
	return main
}

// works returns a loop that receives until the first channel is closed. What it does in between
// holds the mutex if held.
func (g *generator) works(held bool) []*Stmt {
	if g.oneIn(3) {
		return g.one(&Stmt{Op: Range, Reg: g.reg()})
	}
	s := &Stmt{Op: Work, Reg: g.reg(), Val2: g.r.IntN(1 << Registers)}
	g.left--
	g.depth++
	for n := g.r.IntN(3); n > 0 && g.left > 0; n-- {
		if list := g.statement(); !sends(list) { // it would never end
			s.Body = append(s.Body, list...)
		}
	}
	g.depth--
	if held && len(s.Body) > 0 {
		s.Body = append(append([]*Stmt{{Op: Lock}}, s.Body...), &Stmt{Op: Unlock})
	}
	return []*Stmt{s}
}

// sends reports whether statements may send to the first channel.
func sends(list []*Stmt) (does bool) {
	each(list, func(s *Stmt) {
		does = does || s.Op == Send && s.Obj == 0 ||
			slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Send && c.Obj == 0 })
	})
	return does
}

// loop returns a loop whose iterations forget registers, with something before and after it, and
// perhaps another one in it.
func (g *generator) loop(held bool) []*Stmt {
	around := func() []*Stmt {
		if g.left > 0 && g.oneIn(3) {
			return g.statement()
		}
		return nil
	}
	s := &Stmt{Op: Repeat, Val: 2, Val2: g.r.IntN(1 << Registers)}
	if g.oneIn(6) {
		s.Val++
	}
	g.depth++
	for n := 1 + g.r.IntN(2); n > 0; n-- {
		s.Body = append(s.Body, g.statement()...)
	}
	if g.goroutines > 1 && g.oneIn(3) { // another goroutine in each iteration
		g.goroutines--
		at := g.r.IntN(len(s.Body) + 1)
		s.Body = slices.Insert(s.Body, at, &Stmt{Op: Go, Body: g.statement()})
	}
	if g.oneIn(4) { // a variable of its own
		own := g.p.Vars
		g.p.Vars++
		for n := 1 + g.r.IntN(3); n > 0; n-- {
			x := &Stmt{Op: Write, Obj: own, Val: g.val(), Src: g.src()}
			if g.oneIn(2) {
				x = &Stmt{Op: Read, Obj: own, Reg: g.reg()}
			}
			s.Body = slices.Insert(s.Body, g.r.IntN(len(s.Body)+1), x)
		}
	}
	if held {
		at := g.r.IntN(len(s.Body) + 1)
		s.Body = slices.Insert(s.Body, at, &Stmt{Op: Unlock}, &Stmt{Op: Lock})
	}
	if g.oneIn(5) {
		s.Body = []*Stmt{{Op: Repeat, Val: 2, Body: s.Body, Val2: g.r.IntN(1 << Registers)}}
		s.Val2 |= s.Body[0].Val2
		if g.left > 0 {
			s.Body = append(s.Body, g.statement()...)
		}
	}
	g.depth--
	return append(append(around(), s), around()...)
}
