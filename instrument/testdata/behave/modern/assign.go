package main

import "fmt"

func init() {
	programs["assign"] = assigns
	programs["late"] = late
	programs["many"] = many
	programs["phases"] = phases
	programs["ops"] = ops
	programs["define"] = define
	programs["types"] = assignTypes
	programs["nilorder"] = nilOrder
}

type node struct {
	val  int
	next *node
	arr  [3]int
	list []int
	m    map[string]int
	sub  sub
}

type sub struct{ a, b int }

type MyBool bool
type MyInt int64

var global = node{val: 1}
var gslice = []int{1, 2, 3}
var gmap = map[string]int{"a": 1}
var garr [4]int
var gptr = &node{}
var gface any
var gerr error

func say[T any](s string, v T) T { fmt.Print(s, " "); return v }

func assigns() {
	global.val = 5
	global.sub.a, global.sub.b = 1, 2
	gslice[1] = 7
	gmap["x"] = 3
	garr[2] = 9
	gptr.next = &node{val: 4}
	gptr.next.arr[1] = 8
	gptr.sub = sub{3, 4}
	*gptr.next = node{val: 11}
	gface = nil
	gface = 3
	gface = gptr.val == 0
	(global.val) = 6
	(*gptr).val++
	fmt.Println(global.val, global.sub, gslice, gmap, garr, gptr.next.val, gptr.sub, gface, gptr.val)
	var x int
	f := func() { x++ }
	f()
	x = x + 1
	f()
	fmt.Println(x)
	p := &x
	*p = 10
	*p += 5
	fmt.Println(x, *p)
	_ = x
	_, x = 1, 2
	fmt.Println(x)
}

type grower struct {
	a []int
	i int
	m map[int]int
}

func (g *grower) grow() int {
	fmt.Print("grow ")
	g.a = append(make([]int, 0, 10), 1, 2, 3, 4, 5)
	g.i++
	g.m = map[int]int{}
	return 42
}

func (g *grower) self() *grower { fmt.Print("self "); return g }

func late() {
	s := &grower{a: []int{0}}
	old := s.a
	s.a[0] = s.grow()
	fmt.Println(s.a, old)
	s = &grower{a: []int{0, 0, 0}}
	s.a[s.i] = s.grow()
	fmt.Println(s.a)
	s = &grower{a: []int{0, 0, 0}}
	s.self().a[s.i] = s.grow()
	fmt.Println(s.a)
	s = &grower{a: []int{0, 0, 0}}
	s.self().a[s.i] += s.grow()
	fmt.Println(s.a)
	s = &grower{a: []int{0, 0, 0}, m: map[int]int{1: 1}}
	m0 := s.m
	s.m[say("key", 1)] = s.grow()
	fmt.Println(s.m, m0)
	s.m[1] += s.grow()
	fmt.Println(s.m)
	s.m[say("key", 1)] += s.grow()
	fmt.Println(s.m)
	s.a[say("i", 0)], s.a[say("j", 1)] = say("v", 10), say("w", 11)
	fmt.Println(s.a)
	s = nil
	try(func() { s.i = say("before nil", 3) })
	var q []int
	try(func() { q[5] = say("before index", 3) })
	try(func() { gslice[50] = say("before index", 3) })
}

func many() {
	a := []int{1, 2, 3}
	i, j := 0, 2
	a[i], a[j] = a[j], a[i]
	fmt.Println(a)
	i, a[i] = 1, 50
	fmt.Println(i, a)
	gslice = []int{1, 2, 3}
	k := 1
	f := func() { k++ }
	f()
	k, gslice[k] = 0, 77
	fmt.Println(k, gslice)
	n := &node{val: 1}
	n.next = n
	n, n.val = &node{val: 5}, 6
	fmt.Println(n.val, n.next == nil)
	gptr = &node{val: 1}
	gptr, gptr.val = &node{val: 8}, 9
	fmt.Println(gptr.val)
	gmap["p"], gmap["q"] = gmap["q"], 12
	fmt.Println(gmap)
	var b bool
	var v int
	g := func() { b = !b; v++ }
	g()
	v, b = gmap["a"]
	fmt.Println(v, b)
	v, b = gmap["zz"]
	fmt.Println(v, b)
	var mb MyBool
	h := func() { mb = !mb }
	h()
	v, mb = gmap["a"]
	fmt.Println(v, mb)
	v, mb = 1, v < 2
	fmt.Println(v, mb)
	gface, gerr = 1, nil
	gface, gerr = gmap["a"], fmt.Errorf("e")
	fmt.Println(gface, gerr)
	gface, _ = gface.(int)
	v, b = gface.(int)
	fmt.Println(v, b)
	var t MyInt
	sh := 3
	bump := func() { t++; sh++ }
	bump()
	t, sh = 1<<sh, 2
	fmt.Println(t, sh)
	var list *node
	for c := 0; c < 3; c++ {
		list, gptr = &node{c, list, [3]int{}, nil, nil, sub{}}, list
	}
	for list != nil {
		fmt.Print(list.val, " ")
		list = list.next
	}
	fmt.Println()
}

func phases() {
	x := []int{1, 2, 3}
	i := 0
	i, x[i] = 1, 2
	fmt.Println(i, x)
	i = 0
	x[i], i = 2, 1
	fmt.Println(i, x)
	x[0], x[0] = 1, 2
	fmt.Println(x)
	try(func() { x[1], x[3] = 4, 5 })
	fmt.Println(x)
	type Point struct{ x, y int }
	var p *Point
	try(func() { x[2], p.x = 6, 7 })
	fmt.Println(x)
	i = 2
	x = []int{3, 5, 7}
	for i, x[i] = range x {
		break
	}
	fmt.Println(i, x)
	for gptr.val, gslice[1] = range []int{8, 9} {
	}
	fmt.Println(gptr.val, gslice)
	for gmap["k"] = range 3 {
	}
	fmt.Println(gmap["k"])
}

func ops() {
	gslice = []int{1, 2, 3}
	gslice[0] += 10
	gslice[1] <<= 3
	gslice[2] &^= 1
	gmap["a"]++
	gmap["b"] -= 2
	gmap["c"] |= 1 << gslice[2]
	fmt.Println(gslice, gmap["a"], gmap["b"], gmap["c"])
	s := "a"
	f := func() { s += "b" }
	f()
	s += "c" + s
	fmt.Println(s)
	var u uint8 = 250
	g := func() { u += 3 }
	g()
	u += 5
	u++
	fmt.Println(u)
	var fl float64
	h := func() { fl += 1.5 }
	h()
	fl *= 3
	fl--
	fmt.Println(fl)
	x := 1
	inc := func() int { x += 10; return 1 }
	x += inc()
	fmt.Println(x)
	x -= inc() * x
	fmt.Println(x)
	x += 1 << inc()
	fmt.Println(x)
	y := MyInt(3)
	incy := func() int { y++; return 2 }
	y += 1 << incy()
	fmt.Println(y)
	for gptr.val = 0; gptr.val < 3; gptr.val++ {
		fmt.Print(gptr.val, " ")
	}
	for gptr.val, global.val = 0, 9; gptr.val < global.val; gptr.val, global.val = gptr.val+1, global.val-1 {
	}
	fmt.Println(gptr.val, global.val)
	if gptr.val = 3; gptr.val > 2 {
		fmt.Println("yes")
	}
	switch gmap["z"]++; gmap["z"] {
	case 1:
		fmt.Println("one")
	}
	for gmap["y"] = 0; gmap["y"] < 3; gmap["y"]++ {
	}
	fmt.Println(gmap["y"])
	var c complex128
	cc := func() { c += 1i }
	cc()
	c++
	fmt.Println(c)
	d := map[string][]int{}
	d["x"] = append(d["x"], 1)
	d["x"] = append(d["x"], 2, 3)
	d["x"][1]++
	fmt.Println(d)
	type key struct{ a, b int }
	e := map[key]*node{}
	e[key{1, 2}] = &node{val: 3}
	e[key{1, 2}].val++
	e[key{1, 2}].arr[1] += 2
	fmt.Println(e[key{1, 2}].val, e[key{1, 2}].arr)
	delete(gmap, "a")
	delete(gmap, say("k", "b"))
	fmt.Println(len(gmap))
	clear(gmap)
	fmt.Println(len(gmap))
	fi := map[any]int{nil: 1}
	fi[nil]++
	fi[nil] = fi[nil] * say("fi", 2)
	fmt.Println(fi)
}

func two() (int, error) { return 2, fmt.Errorf("two") }

func define() {
	a, err := two()
	f := func() { err = nil; a++ }
	f()
	b, err := two()
	fmt.Println(a, b, err)
	f()
	c, err := 1, error(nil)
	fmt.Println(c, err)
	d, a := 5, 6
	fmt.Println(a, d)
	e, ok := gmap["nothing"]
	g := func() { ok = true }
	g()
	h, ok := gmap["nothing"]
	fmt.Println(e, h, ok)
	var mb MyBool
	tog := func() { mb = !mb }
	tog()
	z, mb := 1, a == 6
	fmt.Println(z, mb)
	if a, err := two(); err != nil {
		func() { a++ }()
		fmt.Println(a)
	} else if b := a + 1; b > 3 {
		func() { b++; a++ }()
	}
	switch a := a + 1; a {
	case 7:
		func() { a++ }()
		fmt.Println(a)
	default:
		func() { a++ }()
	}
	var face any = 5
	switch v := face.(type) {
	case int:
		func() { v++ }()
		fmt.Println(v)
	case string, bool:
		func() { v = 3 }()
	default:
		_ = v
	}
	goto end
end:
	fmt.Println("end")
}

func assignTypes() {
	var e error
	f := func() { e = nil }
	f()
	e = myErr{}
	fmt.Println(e)
	var fn func(int) int
	g := func() { fn = nil }
	g()
	fn = twice
	fn = generic
	fmt.Println(fn(4))
	var s []int
	var named Ints
	h := func() { s = nil; named = nil }
	h()
	s = named
	named = []int{1}
	s = named
	fmt.Println(s, named)
	var ro <-chan int
	var c chan int
	k := func() { ro = nil; c = nil }
	k()
	c = make(chan int, 1)
	ro = c
	c <- 5
	fmt.Println(<-ro)
	var r rune
	var by byte
	l := func() { r = 0; by = 0 }
	l()
	r, by = 'x', 'y'
	fmt.Println(r, by)
	var i8 int8
	m := func() { i8 = 1 }
	m()
	i8 = 1<<gslice[0] - 1
	fmt.Println(i8)
	var arr [3]int
	n := func() { arr[0]++ }
	n()
	sl := arr[:]
	sl[1] = 3
	arr2 := arr
	arr[2] = len(arr)
	fmt.Println(arr, arr2, sl)
	st := struct{ a, b int }{1, 2}
	o := func() { st.a++ }
	o()
	st2 := st
	st.b++
	fmt.Println(st, st2)
}

type Ints []int
type myErr struct{}

func (myErr) Error() string { return "myErr" }
func twice(i int) int       { return 2 * i }
func generic[T any](t T) T  { return t }

func nilOrder() {
	var p *node
	try(func() { p.val = say("first", 1) })
	try(func() { p.val, p.sub.a = say("first", 1), 2 })
	try(func() { p.val += say("first", 1) })
	try(func() { fmt.Println(p.val) })
	try(func() { fmt.Println(p.sub.b) })
	var m map[string]int
	try(func() { m["a"] = say("m", 1) })
	try(func() { m["a"]++ })
	fmt.Println(m["x"], len(m))
	var a []int
	try(func() { a[len(a)] = 3 })
	try(func() { gslice[len(gslice)]++ })
	try(func() { gslice[-1+len(a)] = gslice[0] / len(a) })
}
