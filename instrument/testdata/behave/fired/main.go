package main

type point struct {
	x, y int
	in   inner
}
type Text string
type inner struct {
	a [4]int8
	s []string
	p *point
}
type outer struct {
	*inner
	point
}

func (p point) value() int    { return 1 }
func (p *point) pointer() int { return p.x }
func (i inner) ival()         {}
func (i *inner) iptr()        {}

var (
	gint     int
	gconst   = 5 // never written
	gpoint   point
	gptr     = &point{in: inner{s: []string{"a", "b"}}}
	gmap     = map[string]int{"a": 1}
	gslice   = []int{1, 2, 3}
	garr     [3]point
	gerr     error
	Exported = 3
	gouter   = outer{inner: &inner{p: &point{}}}
)

func main() {
	step("global", func() { gint = 1; _ = gint; gint++; gint += gconst })
	step("field", func() { gpoint.x = 1; _ = gpoint.x; _ = gpoint; _ = gpoint.in.a[2]; gpoint.in.a[1]++ })
	step("pointer", func() { gptr.x = gptr.y; _ = gptr.in.s[1]; gptr.in.s[0] = "x"; *gptr = point{} })
	p := &point{in: inner{s: []string{"q"}}}
	step("local pointer", func() { p.x = p.y; _ = p.in.s[0]; q := *p; q.x = 3; _ = q })
	step("map", func() {
		gmap["k"] = gint
		_ = gmap["k"]
		gmap["k"]++
		delete(gmap, "k")
		_ = len(gmap)
		_, _ = gmap["z"]
	})
	step("map range", func() {
		for k, v := range gmap {
			_, _ = k, v
		}
	})
	step("slice", func() {
		gslice[1] = gslice[0]
		gslice[gslice[0]]++
		_ = gslice[1:]
		_ = len(gslice)
		gslice = append(gslice, 4, 5)
	})
	step("slice range", func() {
		for _, v := range gslice {
			_ = v
		}
		for i := range gslice {
			_ = i
		}
	})
	step("copy", func() { copy(gslice, gslice[1:]); _ = append(gslice[:1], gslice[2:]...) })
	step("clear", func() { s := []int{1, 2}; clear(s[1:]); clear(map[int]int{1: 1}) })
	step("conversion", func() {
		b := []byte("abc")
		_ = string(b) == "abc" && Text(b) == Text("x")
		_ = [2]int(gslice)
		type two = [2]byte
		_ = two(b)[1]
		_ = [0]int(gslice)
		_ = (*[2]int)(gslice)
		_ = []byte("x")
	})
	step("append where there is no room", func() {
		s := make([]int, 2)
		s = append(s, 1)
		_ = append(s[:1:1], s[1:]...)
	})
	step("array", func() { garr[1].x = 2; _ = garr[2]; i := 1; _ = garr[i].in.a[i] })
	step("methods", func() {
		gptr.value()
		gptr.pointer()
		gpoint.value()
		gpoint.pointer()
		p.value()
		f := gptr.value
		f()
	})
	step("promoted", func() {
		gouter.ival()
		gouter.iptr()
		gouter.x = 3
		gouter.inner.p = gptr
		_ = gouter.inner.p
		o := &gouter
		o.value()
		o.ival()
		o.iptr()
		o.pointer()
	})
	step("address", func() { q := &gptr.x; *q = 1; r := &gpoint.in.a[1]; *r++; _ = &gslice[0] })
	step("captured", func() {
		x, y := 1, 2
		func() { x = y }()
		_ = x
	})
	step("parameter", func() { param(3, 4) })
	step("not shared", func() {
		x := [3]int{1, 2, 3}
		for i := 0; i < 3; i++ {
			x[i] += i
		}
		s := struct{ a, b int }{1, 2}
		s.a, s.b = s.b, s.a
	})
	step("multi", func() {
		gint, gpoint.x = gpoint.x, gint
		gslice[0], gslice[1] = gslice[1], gslice[0]
		gint, gerr = both()
	})
	step("comma ok", func() {
		var ok bool
		func() { ok = false }()
		gint, ok = gmap["a"]
		_ = ok
	})
	step("redeclared", func() {
		a, err := both()
		func() { err = nil }()
		b, err := both()
		_, _, _ = a, b, err
	})
	step("result", func() { result() })
	step("alloc", func() {
		_ = new(point)
		_ = &point{}
		_ = make([]int, 3)
		_ = make(map[string]int)
		_ = map[string]int{"a": 1}
		_ = []point{{x: 1}}
		_ = []*point{{x: 1}}
		_ = make(chan int, 2)
		_ = &struct{}{}
	})
	step("loop", func() {
		for i := 0; i < 2; i++ {
			func() { i += 0 }()
		}
		for k := range gslice {
			func() { k++ }()
		}
	})
	step("switch", func() {
		switch gint {
		case gptr.x, 3:
		}
		switch v := any(gint).(type) {
		case int:
			func() { v++ }()
		}
		if v := gint; v > 0 {
			func() { v++ }()
		} else if gpoint.x > 0 {
			_ = v
		}
	})
	step("late", func() { gslice[0] = calls(); gptr.x += calls(); gmap["a"] += calls(); gptr.x = calls() })
	step("string", func() { s := "abc"; func() { s = "x" + s }(); _ = s[0]; _ = s[1:] })
	step("simple", func() {
		for gint = 0; gint < 1; gint++ {
		}
		if gint = 3; gint > 2 {
		}
	})
	step("deref", func() { q := &gint; *q = *q + 1; *q++; var pp = &q; **pp = 4 })
	step("func field", func() { h := &struct{ f func(int) }{func(int) {}}; h.f(gint) })
	step("constant", func() {
		const c = len(garr)
		_ = c
		_ = len(garr)
		for i := range garr {
			_ = i
		}
	})
	step("composite", func() { _ = point{x: gint, y: gptr.y}; _ = [2]int{gint, 1: gint} })
	step("exported", func() { _ = Exported })
	step("swap pointers", func() { gptr, gptr.in.p = gptr.in.p, gptr })
}

func calls() int { return 0 }

func param(a, b int) {
	func() { a++; _ = b }()
	_ = a
}

func both() (int, error) { return 1, nil }

func result() (n int, err error) {
	defer func() { err = nil }()
	if gint > 100 {
		return
	}
	return calls(), nil
}
