package progen

import "slices"

// Shrink returns a smaller program for which fails still holds and which no single simplification
// can reduce further. It removes statements, replaces statements by their blocks, removes cases of
// selects, and reduces capacities and values. fails must hold for p. It gets numbered programs and
// may keep them.
func Shrink(p *Program, fails func(*Program) bool) *Program {
	for again := true; again; {
		again = false
		for i := 0; ; i++ {
			q := p.Clone()
			if !q.simplify(i) {
				break
			}
			q.Number()
			if q.size() < p.size() && fails(q) {
				p, again = q, true
				i--
			}
		}
	}
	return p
}

// size measures the text of a program.
func (p *Program) size() int {
	n := 0
	p.Each(func(s *Stmt) {
		n += 100 + 20*len(s.Cases) + 10*s.Val + s.Val2
		if s.Def {
			n += 10
		}
		if s.Src >= 0 && (s.Op == Write || s.Op == Store || s.Op == Send) {
			n += 5
		}
		for _, c := range s.Cases {
			n += 5*c.Val + c.After
		}
	})
	for _, c := range p.Chans {
		n += 10 * c
	}
	return n + 10*len(p.Timers) + p.Older.size()
}

// size is 0 for objects that are made in the test.
func (o *Older) size() int {
	if o == nil {
		return 0
	}
	n := 1
	for _, k := range slices.Concat(o.Held, o.Counts) {
		n += k
	}
	for _, b := range slices.Concat(o.Closed, o.Locked, o.Writes) {
		if b {
			n++
		}
	}
	return n
}

// simplify applies try to each simplification.
func (o *Older) simplify(try func(func())) {
	for _, list := range [][]int{o.Held, o.Counts} {
		for i := range list {
			if list[i] > 0 {
				try(func() { list[i]-- })
			}
		}
	}
	for _, list := range [][]bool{o.Closed, o.Locked, o.Writes} {
		for i := range list {
			if list[i] {
				try(func() { list[i] = false })
			}
		}
	}
}

// simplify applies the i-th simplification in place. It returns false if there is none.
func (p *Program) simplify(i int) bool {
	done := false
	try := func(f func()) {
		if i--; i == -1 {
			f()
			done = true
		}
	}
	simplifyBlock(&p.Body, try, &done)
	for j, c := range p.Chans {
		if c > 0 && !done && (p.Older == nil || p.Older.Held[j] < c) {
			try(func() { p.Chans[j]-- })
		}
	}
	if p.Older != nil && !done {
		p.Older.simplify(try)
		try(func() { p.Older = nil })
	}
	if len(p.Timers) > 0 && !done && !p.uses()[object{aTimer, 0}] {
		try(func() { p.Timers = nil })
	}
	return done
}

func simplifyBlock(body *[]*Stmt, try func(func()), done *bool) {
	for j := 0; j < len(*body) && !*done; j++ {
		s := (*body)[j]
		replace := func(with []*Stmt) {
			rest := append([]*Stmt(nil), (*body)[j+1:]...)
			*body = append(append((*body)[:j], with...), rest...)
		}
		try(func() { replace(nil) })
		for _, b := range s.blocks() {
			if len(*b) > 0 && !*done {
				try(func() { replace(*b) })
			}
		}
		for k := j + 1; k < len(*body) && !*done; k++ { // both ends of a critical section
			if classes[s.Op] != 0 && classes[s.Op] == classes[(*body)[k].Op] {
				try(func() {
					*body = append((*body)[:k], (*body)[k+1:]...)
					replace(nil)
				})
			}
		}
		if !*done {
			s.simplify(try, done)
		}
		for _, b := range s.blocks() {
			simplifyBlock(b, try, done)
		}
	}
}

func (s *Stmt) simplify(try func(func()), done *bool) {
	for k := range s.Cases {
		if len(s.Cases) > 1 && !*done {
			try(func() { s.Cases = append(s.Cases[:k], s.Cases[k+1:]...) })
		}
		if !*done && s.Cases[k].Val > 1 {
			try(func() { s.Cases[k].Val = 1 })
		}
	}
	if s.Def && len(s.Else) == 0 && !*done {
		try(func() { s.Def = false })
	}
	if s.Src >= 0 && !*done && (s.Op == Write || s.Op == Store || s.Op == Send) {
		try(func() { s.Src = -1 })
	}
	if s.Val > 1 && !*done && s.Op != Draw && s.Op != Sleep && s.Op != After && s.Op != Reset {
		try(func() { s.Val = 1 })
	}
}
