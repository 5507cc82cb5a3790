// Package table2 has the programs behind Table 2 of Kähkönen, Saarikivi, Heljanko, Automated
// Software Engineering 22, 2015, as far as they could be reconstructed, as programs of package
// progen. Main starts the goroutines and does not wait for them.
package table2

import "heddle/internal/progen"

func started(p *progen.Program, bodies ...[]*progen.Stmt) *progen.Program {
	var body []*progen.Stmt
	for _, b := range bodies {
		body = append(body, &progen.Stmt{Op: progen.Go, Body: b})
	}
	p.Body = append(body, p.Body...)
	p.Number()
	return p
}

// Dining returns n dining philosophers that eat so many times, all with the same orientation.
func Dining(n, times int) *progen.Program {
	p := &progen.Program{Mutexes: n}
	var bodies [][]*progen.Stmt
	for i := range n {
		var b []*progen.Stmt
		for range times {
			b = append(b, lock(i), lock((i+1)%n), unlock((i+1)%n), unlock(i))
		}
		bodies = append(bodies, b)
	}
	return started(p, bodies...)
}

func lock(i int) *progen.Stmt   { return &progen.Stmt{Op: progen.Lock, Obj: i} }
func unlock(i int) *progen.Stmt { return &progen.Stmt{Op: progen.Unlock, Obj: i} }

// Pairs returns a program with n variables, each with one reading and one writing goroutine.
func Pairs(n int) *progen.Program {
	p := &progen.Program{Atomics: n}
	var bodies [][]*progen.Stmt
	for i := range n {
		bodies = append(bodies, []*progen.Stmt{{Op: progen.Load, Obj: i}},
			[]*progen.Stmt{{Op: progen.Store, Obj: i, Val: 1, Src: -1}})
	}
	return started(p, bodies...)
}

// Fib returns a program with two goroutines that read two variables and write one of them, n
// times, while main reads both.
func Fib(n int) *progen.Program {
	p := &progen.Program{Atomics: 2}
	adder := func(own, other int) (b []*progen.Stmt) {
		for range n {
			b = append(b, &progen.Stmt{Op: progen.Load, Obj: own, Reg: 0},
				&progen.Stmt{Op: progen.Load, Obj: other, Reg: 1},
				&progen.Stmt{Op: progen.Store, Obj: own, Src: 1, Val: 1})
		}
		return b
	}
	p.Body = []*progen.Stmt{{Op: progen.Load, Obj: 0}, {Op: progen.Load, Obj: 1}}
	return started(p, adder(0, 1), adder(1, 0))
}

// Sections returns a program with goroutines that pass through critical sections of one mutex.
// Each pair in of is the number of sections of a goroutine and the number of accesses in each.
func Sections(of ...[2]int) *progen.Program {
	p := &progen.Program{Mutexes: 1, Atomics: 2}
	var bodies [][]*progen.Stmt
	for _, s := range of {
		var b []*progen.Stmt
		for range s[0] {
			b = append(b, lock(0))
			for i := range s[1] {
				if i%2 == 0 {
					b = append(b, &progen.Stmt{Op: progen.Load, Obj: i / 2})
				} else {
					b = append(b, &progen.Stmt{Op: progen.Store, Obj: i / 2, Val: i, Src: -1})
				}
			}
			b = append(b, unlock(0))
		}
		bodies = append(bodies, b)
	}
	return started(p, bodies...)
}

// Filesystem returns Flanagan & Godefroid's program with n goroutines: each allocates a block for
// its inode, the next one if that is taken.
func Filesystem(n int) *progen.Program {
	const inodes, blocks = 32, 26
	p := &progen.Program{Atomics: inodes + blocks, Mutexes: inodes + blocks}
	var bodies [][]*progen.Stmt
	for i := range n {
		bodies = append(bodies, []*progen.Stmt{
			lock(i),
			{Op: progen.Load, Obj: i, Reg: 0},
			{Op: progen.If, Reg: 0, Val: 0, Body: allocate(i, 2*i%blocks, blocks, 3)},
			unlock(i),
		})
	}
	return started(p, bodies...)
}

// allocate tries block b, then the following ones if it is taken, at most tries blocks: no more
// are ever taken.
func allocate(i, b, blocks, tries int) []*progen.Stmt {
	const inodes = 32
	if tries == 0 {
		return nil
	}
	return []*progen.Stmt{
		lock(inodes + b),
		{Op: progen.Load, Obj: inodes + b, Reg: 1},
		{Op: progen.If, Reg: 1, Val: 0,
			Body: []*progen.Stmt{
				{Op: progen.Store, Obj: inodes + b, Val: 1, Src: -1},
				{Op: progen.Store, Obj: i, Val: b + 1, Src: -1},
				unlock(inodes + b),
			},
			Else: append([]*progen.Stmt{unlock(inodes + b)}, allocate(i, (b+1)%blocks, blocks, tries-1)...),
		},
	}
}
