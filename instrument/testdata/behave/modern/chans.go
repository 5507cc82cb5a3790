package main

import (
	"fmt"
	"sync"
	"time"
)

func init() {
	programs["chan"] = chans
	programs["select"] = selects
	programs["gostmt"] = goStmts
	programs["defer"] = defers
	programs["chantypes"] = chanTypes
}

type Named chan int
type RO <-chan string

func chans() {
	c := make(chan int, 3)
	c <- 1
	c <- say("v", 2)
	fmt.Println(len(c), cap(c), <-c)
	v, ok := <-c
	fmt.Println(v, ok)
	close(c)
	v, ok = <-c
	fmt.Println(v, ok)
	var w, ok2 = <-c
	fmt.Println(w, ok2)
	var mb MyBool
	v, mb = <-c
	fmt.Println(mb)
	var a any
	a, gface = <-c
	fmt.Println(a, gface)
	try(func() { close(c) })
	try(func() { c <- 1 })
	var n chan int
	try(func() { close(n) })
	fmt.Println(len(n))
	cc := make(chan chan int, 1)
	cc <- make(chan int, 1)
	d := <-cc
	cc <- d
	d <- 5
	fmt.Println(<-<-cc)
	if x := <-put(c2(), 9); x == 9 {
		fmt.Println("nine")
	}
	f := make(chan func() int, 1)
	f <- func() int { return 3 }
	fmt.Println((<-f)())
	s := make(chan struct{ a []int }, 1)
	s <- struct{ a []int }{[]int{1, 2}}
	fmt.Println((<-s).a[1])
	b := make(chan bool, 2)
	b <- v == 0
	b <- !<-b
	fmt.Println(-1 + len(b))
	i8 := make(chan int8, 1)
	i8 <- 1<<gslice[0] - 1
	fmt.Println(<-i8)
	e := make(chan error, 1)
	e <- nil
	e2 := <-e
	fmt.Println(e2)
	defer close(d)
}

func c2() chan int                   { return make(chan int, 1) }
func put(c chan int, v int) chan int { c <- v; return c }

func chanTypes() {
	n := make(Named, 2)
	n <- 3
	fmt.Println(<-n, len(n))
	var so chan<- int = n
	var ro <-chan int = n
	so <- 4
	fmt.Println(len(so), len(ro), <-ro)
	close(n)
	_, ok := <-n
	fmt.Println(ok)
	s := make(chan string, 1)
	r := RO(s)
	s <- "x"
	for v := range r {
		fmt.Println(v)
		close(s)
	}
	gc := make(chan int, 4)
	gsend(gc, 7)
	fmt.Println(grecv[chan int](gc), glen(gc))
	nn := make(Named, 4)
	gsend(nn, 8)
	fmt.Println(grecv[Named](nn))
	fmt.Println(anySend[string]("q"))
	gclose(nn)
	for v := range nn {
		fmt.Println(v)
	}
	fmt.Println(dirs[int](make(chan int, 1), 4))
}

func gsend[C ~chan T, T any](c C, v T) { c <- v }
func grecv[C ~chan int](c C) int       { return <-c }
func glen[C ~chan T, T any](c C) int   { return len(c) }
func gclose[C ~chan<- T | ~chan T, T any](c C) {
	close(c)
}
func anySend[T any](v T) T {
	c := make(chan T, 1)
	select {
	case c <- v:
	}
	select {
	case w, ok := <-c:
		_ = ok
		return w
	}
}
func dirs[T any](c chan T, v T) (out T) {
	defer func() { out = <-c }()
	func(s chan<- T) { s <- v }(c)
	return
}

func selects() {
	a, b := make(chan int, 1), make(chan string, 1)
	pick := func() string {
		select {
		case v := <-a:
			return fmt.Sprint("a", v)
		case s, ok := <-b:
			return fmt.Sprint("b", s, ok)
		default:
			return "none"
		}
	}
	fmt.Println(pick())
	a <- 1
	fmt.Println(pick())
	b <- "x"
	fmt.Println(pick())
	close(b)
	fmt.Println(pick())
	x := []int{0, 0}
	var ok bool
	var mb MyBool
	a <- 5
	select {
	case x[say("idx", 1)] = <-a:
	case <-time.After(time.Hour):
	}
	fmt.Println(x)
	a <- 6
	select {
	case x[0], ok = (<-a):
		fmt.Println(x, ok)
	}
	a <- 7
	select {
	case gslice[0], mb = <-a:
		fmt.Println(gslice[0], mb)
	}
	a <- 7
	select {
	case gmap["sel"] = <-a:
		fmt.Println(gmap["sel"])
	}
	a <- 8
	select {
	case _ = <-a:
	}
	select {
	case a <- say("value", 9):
	}
	select {
	case (<-a):
		fmt.Println("got")
	}
	select {
	case a <- 1:
		break
	default:
		fmt.Println("no")
	}
	n := 0
loop:
	for {
		select {
		case v := <-a:
			n += v
			if n > 3 {
				break loop
			}
			a <- n
			continue loop
		default:
			fmt.Println("empty")
			break
		}
		break
	}
	fmt.Println(n)
sel:
	select {
	default:
		if n > 0 {
			break sel
		}
		fmt.Println("not reached")
	}
	var nilc chan int
	select {
	case <-nilc:
	case nilc <- 1:
	case v, ok := <-b:
		if v := v + "shadow"; ok {
			fmt.Println(v)
		}
		fmt.Println(v, ok)
	}
	for i := 0; ; i++ {
		select {
		case a <- i:
		case v := <-a:
			func() { v++ }()
			fmt.Println(v)
			if i > 3 {
				goto out
			}
		}
	}
out:
	fmt.Println(forever(1))
	full := make(chan int)
	select {
	case full <- 1:
	case v := <-put(
		c2(),
		4,
	):
		fmt.Println("multi", v)
	}
	try(func() {
		c := make(chan int)
		close(c)
		select {
		case c <- 1:
		}
	})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer fmt.Println("blocked goroutine is not run to here")
		wg.Done()
		wg.Add(1)
		select {}
	}()
	var many [10]chan int
	for i := range many {
		many[i] = make(chan int, 1)
	}
	many[9] <- 1
	select {
	case <-many[0]:
	case <-many[1]:
	case <-many[2]:
	case <-many[3]:
	case <-many[4]:
	case <-many[5]:
	case <-many[6]:
	case <-many[7]:
	case <-many[8]:
	case v, ok := <-many[9]:
		fmt.Println(v, ok)
	}
	panic := 3
	a = make(chan int, 1)
	select {
	case a <- panic:
	}
	select {
	case v := <-a:
		fmt.Println(v)
	case a <- 1:
	}
	t := time.NewTimer(0)
	select {
	case <-t.C:
		fmt.Println("timer")
	}
}

func forever(i int) int {
	c := make(chan int, 1)
	select {
	case c <- 1:
		return i
	case <-c:
		return 2
	}
}

func never() int {
	select {}
}

func goStmts() {
	var wg sync.WaitGroup
	out := make(chan string, 1)
	run := func(f func()) {
		wg.Add(1)
		f()
		fmt.Println(<-out)
	}
	run(func() { go func() { out <- "plain" }() })
	run(func() { go func(s string) { out <- s }("arg") })
	run(func() {
		x := "old"
		go func(s string) { out <- s }(x)
		x = "new"
	})
	run(func() {
		f := func(s string) { out <- "f" + s }
		go f("1")
		f = nil
	})
	t := talker{"bob", out}
	run(func() { go t.value("!"); t.name = "alice" })
	run(func() { go t.pointer("!") })
	p := &t
	run(func() { go p.value("?") })
	run(func() { go p.pointer("?") })
	var i speaker = t
	run(func() { go i.value("i") })
	run(func() { go talker.value(t, "expr") })
	run(func() { go (*talker).pointer(p, "expr") })
	run(func() { go variadic(out, "a", "b") })
	run(func() { go variadic(out, []string{"c", "d"}...) })
	run(func() { go variadic(out) })
	run(func() { go pair(mkPair(out)) })
	run(func() { f := pair; go f(mkPair(out)) })
	run(func() { go gen(out, 3) })
	run(func() { go gen[float64](out, 3) })
	run(func() { go face(out, nil, nil, 1<<gslice[0] == 2, 5) })
	run(func() { go typed(out, 1<<len(gmap), 2.0, 'x', MyBool(true), 3 > len(gmap)) })
	run(func() {
		go func() int { out <- "result"; return 1 }()
	})
	run(func() {
		go func(
			a string,
			b int,
		) {
			out <- fmt.Sprint(a, b)
		}(
			"multi", // one
			say("line", 3),
		)
	})
	run(func() { go println2(out)("called") })
	c := make(chan int)
	go close(c)
	<-c
	m := map[string]int{"a": 1}
	d := make(chan bool)
	go func() { delete(m, "a"); close(d) }()
	<-d
	fmt.Println(len(m))
	var nf func()
	_ = nf
	run(func() {
	lab:
		go func() { out <- "label" }()
		if false {
			goto lab
		}
	})
	for i := 0; i < 3; i++ {
		run(func() { go func() { out <- fmt.Sprint(i) }() })
	}
	run(func() { go apply(func(s string) { out <- s }, "fn") })
	run(func() { go apply(variadic1(out), "fn1") })
	run(func() { go applyG(out, gen[int]) })
	try(func() { go (*talker)(nil).value("x") })
	func() {
		defer func() { recover() }()
		var sp speaker
		go sp.value("nil")
	}()
	go print()
}

type talker struct {
	name string
	out  chan string
}
type speaker interface{ value(string) }

func (t talker) value(s string)    { t.out <- "v " + t.name + s }
func (t *talker) pointer(s string) { t.out <- "p " + t.name + s }
func variadic(out chan string, s ...string) {
	out <- fmt.Sprint(len(s), s)
}
func variadic1(out chan string) func(string)       { return func(s string) { variadic(out, s) } }
func mkPair(out chan string) (chan string, string) { return out, "pair" }
func pair(out chan string, s string)               { out <- s }
func gen[T any](out chan string, t T)              { out <- fmt.Sprintf("%T %v", t, t) }
func face(out chan string, a any, e error, b any, i any) {
	out <- fmt.Sprint(a, e, b, i)
}
func typed(out chan string, a int8, f float32, r rune, m MyBool, n MyBool) {
	out <- fmt.Sprint(a, f, r, m, n)
}
func println2(out chan string) func(string)            { fmt.Print("now "); return func(s string) { out <- s } }
func apply(f func(string), s string)                   { f(s) }
func applyG(out chan string, f func(chan string, int)) { f(out, 1) }

func defers() {
	c := make(chan int, 1)
	func() {
		defer close(c)
		c <- 1
	}()
	v, ok := <-c
	_, ok2 := <-c
	fmt.Println(v, ok, ok2)
	fmt.Println(named(3))
	fmt.Println(named2())
	m := map[int]int{1: 1}
	func() {
		defer delete(m, 1)
		fmt.Println(len(m))
	}()
	fmt.Println(len(m))
	for i := range 3 {
		defer fmt.Print("d", i, " ")
	}
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	x := 1
	defer fmt.Println("x", x)
	func() { x++ }()
	defer func() { fmt.Println("x", x, recover()) }()
	t := talker{"t", make(chan string, 2)}
	func() {
		defer t.value("deferred")
		t.name = "changed"
	}()
	fmt.Println(<-t.out)
	panic("boom")
}

func named(n int) (res int, err error) {
	defer func() { res *= 2; err = fmt.Errorf("%v after", err) }()
	if n > 2 {
		return n + say("calls", 1), nil
	}
	return
}

func named2() (a int, b error, c bool) {
	defer func() { a++; c = !c }()
	return three()
}

func three() (int, error, bool) { return 1, nil, false }
