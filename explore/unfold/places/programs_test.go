package places

// The programs behind Table 2, as far as they could be rebuilt.

func access(t *Thread, n int) {
	for i := range n {
		if i%2 == 0 {
			t.Read(i / 2)
		} else {
			t.Write(i/2, Const(int64(i)))
		}
	}
}

// fib: i and j start at 1; two threads add the other's to their own n times, reading their own
// first.
func fib(n int) *Program {
	adder := func(own, other int) func(*Thread) {
		return func(t *Thread) {
			for range n {
				a := t.Read(own)
				t.Write(own, a.Op('+', t.Read(other)))
			}
		}
	}
	main := func(t *Thread) {
		t.Read(0)
		t.Read(1)
	}
	return &Program{Vars: 2, Init: []int64{1, 1}, Threads: []func(*Thread){adder(0, 1), adder(1, 0), main}}
}

func dining(n int) *Program {
	p := &Program{Locks: n}
	for i := range n {
		p.Threads = append(p.Threads, func(t *Thread) {
			for range 2 {
				t.Lock(i)
				t.Lock((i + 1) % n)
				t.Unlock((i + 1) % n)
				t.Unlock(i)
			}
		})
	}
	return p
}

// sections: threads pass a critical section of so many accesses so many times.
func sections(of ...[2]int) *Program {
	p := &Program{Vars: 2, Locks: 1}
	for _, s := range of {
		p.Threads = append(p.Threads, func(t *Thread) {
			for range s[0] {
				t.Lock(0)
				access(t, s[1])
				t.Unlock(0)
			}
		})
	}
	return p
}

func parallelPi(n, accesses int) *Program {
	var of [][2]int
	for range n {
		of = append(of, [2]int{1, accesses})
	}
	return sections(of...)
}

// filesystem is Flanagan & Godefroid's: variables are 32 inodes and 26 blocks that may be busy.
func filesystem(n int) *Program {
	const inodes, blocks = 32, 26
	p := &Program{Vars: inodes + blocks, Locks: inodes + blocks}
	for tid := range n {
		p.Threads = append(p.Threads, func(t *Thread) {
			i := tid % inodes
			t.Lock(i)
			if t.Read(i).N() == 0 {
				for b := 2 * i % blocks; ; b = (b + 1) % blocks {
					t.Lock(inodes + b)
					if t.Read(inodes+b).N() == 0 {
						t.Write(inodes+b, Const(1))
						t.Write(i, Const(int64(b)+1))
						t.Unlock(inodes + b)
						break
					}
					t.Unlock(inodes + b)
				}
			}
			t.Unlock(i)
		})
	}
	return p
}

func pairs(n int) *Program {
	p := &Program{Vars: n}
	for i := range n {
		p.Threads = append(p.Threads, func(t *Thread) { t.Read(i) }, func(t *Thread) { t.Write(i, Const(1)) })
	}
	return p
}
