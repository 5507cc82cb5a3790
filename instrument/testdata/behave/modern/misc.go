package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	. "strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

func init() {
	programs["embedded"] = embeddedSync
	programs["method"] = methods
	programs["order"] = evalOrder
	programs["builtins"] = builtins
	programs["generic"] = generics
	programs["lines"] = lines
	programs["copies"] = copies
	programs["atomic"] = atomics
	programs["init"] = inits
	programs["closure"] = closures
	programs["goto"] = gotos
	programs["append"] = appends
	programs["header"] = headers
}

// throughHeader returns what only the Data of a header leads to.
//
//go:noinline
func throughHeader(b [64]byte, n int) (s []byte) {
	h := (*reflect.SliceHeader)(unsafe.Pointer(&s))
	h.Data = uintptr(unsafe.Pointer(&b))
	h.Len, h.Cap = n, n
	return s
}

// scribble writes to the stack.
//
//go:noinline
func scribble(n int) (sum int) {
	var a [1 << 10]byte
	for i := range a {
		a[i] = byte(i + n)
	}
	for _, x := range a {
		sum += int(x)
	}
	return sum
}

func headers() {
	s := throughHeader([64]byte{1, 2, 3}, 3)
	fmt.Println(scribble(7), s)
}

//go:embed hello.txt
var hello string

//go:linkname nanotime runtime.nanotime
func nanotime() int64

type counter struct {
	sync.Mutex
	*inner
	n int
}

type inner struct {
	deep
	x int
}

type deep struct{ y, z int }

func (d deep) sum() int       { return d.y + d.z }
func (d *deep) inc()          { d.y++ }
func (i *inner) name() string { return "inner" }

type iface interface{ sum() int }
type wrap struct {
	iface
	p *wrap
}

func embeddedSync() {
	c := counter{inner: &inner{x: 1}}
	c.Lock()
	c.n++
	c.x++
	c.y = 3
	c.inner.z += c.y
	c.inc()
	fmt.Println(c.n, c.x, c.y, c.z, c.sum(), c.name(), c.inner.deep.sum())
	c.Unlock()
	p := &c
	p.Lock()
	p.x, p.y = p.y, p.x
	p.y++
	p.inc()
	fmt.Println(p.x, p.y, p.sum(), p.deep)
	p.Unlock()
	w := wrap{iface: p.deep}
	w.p = &w
	fmt.Println(w.sum(), w.p.sum(), w.p.p.iface.sum())
	f := w.p.sum
	w.p.iface = deep{}
	fmt.Println(f(), w.sum())
	g := p.inc
	g()
	h := p.sum
	g()
	fmt.Println(h(), p.sum())
	var np *counter
	try(func() { fmt.Println(np.x) })
	try(func() { np.inner.y = 1 })
	var nw wrap
	try(func() { nw.sum() })
}

type num int

func (n num) get() int   { return int(n) }
func (n *num) set(i int) { *n = num(i) }

type funcs struct {
	f func(int) int
	a [2]func() string
	m map[string]func()
}

func methods() {
	var n num
	n.set(3)
	f := n.get
	g := n.set
	g(5)
	fmt.Println(f(), n.get(), num.get(n), (*num).get(&n))
	pn := &n
	fmt.Println(pn.get())
	arr := [2]num{1, 2}
	arr[1].set(7)
	m := map[string]*num{"a": &arr[0]}
	m["a"].set(9)
	fmt.Println(arr, m["a"].get())
	s := funcs{f: func(i int) int { return i + 1 }, m: map[string]func(){"x": func() { fmt.Println("x") }}}
	s.a[1] = func() string { return "a1" }
	ps := &s
	fmt.Println(ps.f(1), ps.a[1]())
	ps.m["x"]()
	(ps.f)(3)
	(func() {})()
	t := time.Duration(3)
	fmt.Println(t.String(), time.Second.String())
	e := fmt.Errorf("w %w", myErr{})
	var me myErr
	fmt.Println(errors.As(e, &me), errors.Is(e, myErr{}))
	var b bytes.Buffer
	b.WriteString("buf")
	fmt.Fprintf(&b, "%d", n)
	fmt.Println(b.String())
	var sb Builder
	sb.WriteString(ToUpper("dot"))
	fmt.Println(sb.String(), Contains("abc", "b"))
}

func evalOrder() {
	x := 1
	f := func() int { x++; return x }
	fmt.Println(x+f(), x)
	fmt.Println(f()+x, f()*x)
	a := []int{x, f(), x}
	fmt.Println(a)
	b := [3]int{f(), x, f()}
	fmt.Println(b)
	m := map[int]int{f(): x, x: f()}
	fmt.Println(len(m))
	y := x + f() + x
	fmt.Println(y)
	z, w := x, f()
	fmt.Println(z, w)
	arr := []int{1, 2, 3}
	idx := 0
	g := func() int { idx++; return idx }
	arr[idx] = g()
	fmt.Println(arr)
	arr[g()] = idx
	fmt.Println(arr)
	st := struct{ p, q int }{x, f()}
	fmt.Println(st)
	s := "a"
	h := func() string { s += "b"; return s }
	fmt.Println(s + h() + s)
	var i any = x
	fmt.Println(i, f(), i)
	p := &x
	fmt.Println(*p+f(), *p)
	c := make(chan int, 3)
	c <- x
	c <- f()
	fmt.Println(x+<-c, <-c+x)
	bo := x > 0 || f() > 0
	bo = bo && f() > 3
	fmt.Println(bo, x)
	if v := f(); v > x-1 && x == v {
		fmt.Println("eq")
	}
	switch x {
	case f():
		fmt.Println("case f")
	case f() - 2, x:
		fmt.Println("case 2")
	default:
		fmt.Println("default")
	}
	ret := func() (int, int) { return x, f() }
	fmt.Println(ret())
	fmt.Println(gslice[0], func() int { gslice[0] = 100; return 1 }(), gslice[0])
	local := 5
	inc := func() int { local++; return local }
	arg3(local, inc(), local)
	arg3(gptr.val, func() int { gptr.val = 77; return 0 }(), gptr.val)
}

func arg3(a, b, c int) { fmt.Println(a, b, c) }

func builtins() {
	s := make([]int, 2, 5)
	s2 := make([]string, say("len", 1), 4)
	m := make(map[string]int, 3)
	p := new(int)
	*p = 3
	q := new(7)
	fmt.Println(len(s), cap(s), len(s2), len(m), *p, *q)
	s = append(s, 1)
	s = append(s, s...)
	n := copy(s, []int{9, 9})
	fmt.Println(s, n)
	b := append([]byte("x"), "yz"...)
	n = copy(b, "QQ")
	fmt.Println(string(b), n)
	b = append(b[:1], b[2:]...)
	b = append(b)
	b = append(b, nil...)
	fmt.Println(string(b))
	fmt.Println(min(*p, 2, *q), max(gslice[0], *p))
	arr := [3]int{1, 2, 3}
	fmt.Println(len(arr), cap(arr[:2]), len(gptr.arr), cap(gptr.arr))
	const c = len(garr)
	var arr2 [c]int
	var arr3 [unsafe.Sizeof(global)]byte
	fmt.Println(len(arr2), len(arr3) > 0, unsafe.Offsetof(global.next) > 0)
	x := unsafe.Slice(&arr[0], 2)
	fmt.Println(x, unsafe.String(&b[0], 1))
	clear(s)
	fmt.Println(s)
	z := complex(real(1+2i), float64(*p))
	fmt.Println(z, imag(z))
	{
		len := func(int) int { return 42 }
		append := func(a, b int) int { return a + b }
		close := 3
		new := 4
		fmt.Println(len(1), append(1, 2), close, new)
	}
	type T struct{ a, b int }
	lit := &T{1, 2}
	lits := []*T{{1, 2}, {3, 4}}
	mlits := map[T]*T{{1, 2}: {3, 4}}
	nested := [][]T{{{1, 2}}, {}}
	idx := [...]string{2: "c", 0: "a"}
	fmt.Println(*lit, *lits[1], *mlits[T{1, 2}], nested, idx)
	sl := []int{1, 2, 3, 4}
	fmt.Println(sl[1:3], sl[:2:3], "abc"[1:], gslice[:1])
	a3 := [3]int(sl[:3])
	pa := (*[2]int)(sl)
	pa[1] = 50
	fmt.Println(a3, sl[1], (*pa)[0], len(pa))
	var e struct{}
	pe := &struct{}{}
	_, _ = e, pe
	var f32 float32 = float32(*p) / 2
	fmt.Println(f32, string(rune(65+*p)), []byte("hi"), []rune("hé")[1])
	if s := fmt.Sprint(*p); s == "3" {
		fmt.Println("three")
	}
	print()
}

type stack[T any] struct {
	items []T
	head  *cell[T]
}
type cell[T any] struct {
	v    T
	next *cell[T]
}

func (s *stack[T]) push(v T) {
	s.items = append(s.items, v)
	s.head = &cell[T]{v, s.head}
}
func (s *stack[T]) pop() (v T, ok bool) {
	if len(s.items) == 0 {
		return
	}
	v, s.items = s.items[len(s.items)-1], s.items[:len(s.items)-1]
	s.head.v, s.head = v, s.head.next
	return v, true
}

type ptrTo[T any] interface {
	*T
	set(int)
	get() int
}

func viaPtr[T any, P ptrTo[T]]() int {
	var t T
	P(&t).set(4)
	p := P(new(T))
	p.set(5)
	*p = t
	return p.get()
}

func update[K comparable, V any](m map[K]V, k K, f func(V) V) {
	m[k] = f(m[k])
	if _, ok := m[k]; !ok {
		panic("no")
	}
}

func addAll[T ~int | ~string](dst *T, vs ...T) {
	for _, v := range vs {
		*dst += v
	}
}

func generics() {
	var s stack[string]
	s.push("a")
	s.push("b")
	fmt.Println(s.pop())
	fmt.Println(s.pop())
	fmt.Println(s.pop())
	fmt.Println(viaPtr[num]())
	m := map[string]int{}
	update(m, "a", func(i int) int { return i + 1 })
	update(m, "a", func(i int) int { return i + 1 })
	fmt.Println(m)
	var n MyIntS
	addAll(&n, 1, 2, 3)
	fmt.Println(n)
	var p atomic.Pointer[node]
	p.Store(&node{val: 3})
	fmt.Println(p.Load().val)
	lazy := sync.OnceValue(func() int { return 5 })
	fmt.Println(lazy() + lazy())
}

type MyIntS int

func lines() {
	_, file, line, _ := runtime.Caller(0)
	fmt.Println(len(file) > 0, line)
	try(func() {
		defer func() {
			recover()
			for i := 1; i < 8; i++ {
				_, _, l, _ := runtime.Caller(i)
				if pc, _, _, _ := runtime.Caller(i); HasSuffix(runtime.FuncForPC(pc).Name(), "lines.func1") {
					fmt.Println("panicked at", l)
				}
			}
		}()
		gslice[100+len(gmap)] = say(
			"x",
			1,
		)
	})
	c := make(chan int, 1)
	select {
	case c <- where():
	case <-put(
		c2(), where()):
	}
	go func(i int) {
		c <- i
	}(
		where())
	fmt.Println(where())
	gslice[0], gmap["a"] =
		where(),
		where()
	fmt.Println(gslice[0], gmap["a"], where())
}

func where() int {
	_, _, l, _ := runtime.Caller(1)
	return l
}

type big struct {
	a [4]int
	s []int
	m map[string]int
}

func copies() {
	x := big{s: []int{1}, m: map[string]int{"a": 1}}
	px := &x
	y := *px
	y.a[0], y.s[0], y.m["a"] = 5, 6, 7
	fmt.Println(x, y)
	px.a[1]++
	z := px.a
	px.a[2]++
	fmt.Println(z, px.a, *px)
	arr := [2]big{x, y}
	for _, b := range arr {
		b.a[0] = 99
	}
	fmt.Println(arr[0].a, arr[1].a)
	f := func(b big) { b.a[0] = 1000 }
	f(*px)
	f(arr[0])
	fmt.Println(px.a[0], arr[0].a[0])
	ch := make(chan big, 1)
	ch <- *px
	px.a[3] = 4
	fmt.Println((<-ch).a, px.a)
	var i any = *px
	px.a[3] = 5
	fmt.Println(i.(big).a)
	ret := func() big { return *px }
	fmt.Println(ret().a[3], ret().s[0])
	eq := px.a == z
	fmt.Println(eq, &*px == &(*px), arr[0].a != arr[1].a)
}

func (b big) String() string { return fmt.Sprint(b.a, b.s, b.m) }

var counter64 int64

func atomics() {
	atomic.AddInt64(&counter64, 2)
	f := atomic.LoadInt64
	fmt.Println(f(&counter64), atomic.CompareAndSwapInt64(&counter64, 2, 3))
	var v atomic.Value
	v.Store("x")
	fmt.Println(v.Load().(string))
	var u atomic.Uint32
	u.Add(3)
	fmt.Println(u.Load())
	runtime.Gosched()
	g := runtime.Gosched
	g()
	fmt.Println(runtime.NumGoroutine() > 0)
	var p unsafe.Pointer
	atomic.StorePointer(&p, nil)
	fmt.Println(atomic.LoadPointer(&p) == nil, hello)
	_ = nanotime()
}

var (
	initA        = initB + 1
	initB        = func() int { gcount++; return initC() }()
	gcount       int
	initD, initE = two()
	initM        = map[string][]int{"a": {1, 2}}
	initCh       = make(chan int, 1)
	_            = register("x")
)

func initC() int           { return 4 }
func register(string) bool { gcount++; return true }

func inits() {
	fmt.Println(initA, initB, gcount, initD, initE, initM, cap(initCh))
}

func closures() {
	var fs []func() int
	x, y := 1, 2
	fs = append(fs, func() int { x++; return x + y })
	func() {
		defer func() { y = x }()
		x := 10
		fs = append(fs, func() int { x++; return x })
	}()
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	var rec func(int) int
	rec = func(n int) int {
		if n == 0 {
			return 0
		}
		return n + rec(n-1)
	}
	fmt.Println(rec(4), x, y)
	a, b := func() (int, string) { return 1, "b" }()
	func() { a++; b += "c" }()
	fmt.Println(a, b)
	params(1, "p", 2, 3)
	var t thing
	t.run(5)
	fmt.Println(t.n)
}

func params(a int, b string, cs ...int) {
	f := func() { a++; b += "!"; cs = append(cs, 1); cs[0]++ }
	f()
	fmt.Println(a, b, cs)
}

type thing struct{ n int }

func (t thing) val() { func() { t.n++ }(); fmt.Println(t.n) }
func (t *thing) run(n int) {
	func() { t.n += n; t = &thing{n: 100} }()
	t.val()
	fmt.Println(t.n)
}

func gotos() {
	i := 0
	inc := func() { i++ }
top:
	inc()
	if i < 3 {
		goto top
	}
	fmt.Println(i)
	switch {
	case i == 3:
		i = 4
		fallthrough
	case i == 100:
		fmt.Println("fell", i)
		if i > 3 {
			break
		}
		fmt.Println("no")
	}
L:
	for {
		for {
			if i++; i > 6 {
				break L
			}
			continue L
		}
	}
	if i > 0 {
		goto done
	}
	fmt.Println("skipped")
done:
	i = i + 1
	fmt.Println(i)
loop:
	for i := 0; i < 3; i++ {
		func() { i++ }()
		if i == 2 {
			goto loop2
		}
		continue loop
	}
loop2:
	{
		fmt.Println("end")
	}
}

func appends() {
	type S struct {
		list  []int
		names []string
	}
	s := &S{}
	for i := range 5 {
		s.list = append(s.list, i, i*i)
		s.names = append(s.names, fmt.Sprint(i))
	}
	s.list = append(s.list[:2], s.list[4:]...)
	fmt.Println(s.list, s.names)
	var fs []func()
	fs = append(fs, func() { fmt.Print("f1 ") }, func() { fmt.Println("f2") })
	for _, f := range fs {
		f()
	}
	var as []any
	as = append(as, 1, "x", nil, 2.5, s.list[0] == 0)
	fmt.Println(as...)
	ns := Ints{1}
	ns = append(ns, []int{2}...)
	ns = append(ns, ns...)
	fmt.Println(ns, append(Ints(nil), 5))
	x := append(append([]int{1}, 2), append([]int{3}, 4)...)
	fmt.Println(x)
	alias := x[:2]
	_ = append(alias, 99)
	fmt.Println(x)
	multi := append(
		x,
		1, // one
		2,
	)
	fmt.Println(multi)
}
