package values

import "testing"

// in holds what the tests read: its fields are the only visible memory.
var in struct{ a, b, c, d int }

func begin() { in.a, in.b, in.c, in.d = 1, 2, 3, 4 }

func TestLocals(t *testing.T) {
	begin()
	x := in.a
	y := x*2 + in.b
	z := 5
	if y > 3 { // from a b
		z++
	}
	if z > 5 { // from nothing
		x = in.c
	}
	if x == 3 { // from c
		x = 0
	}
	if x == 0 { // from nothing
		x += in.d
	}
	x, y = y, x
	if x > 0 { // from a b
	}
	if y > 0 { // from d
	}
	in.a = x - y // from a b d
	var v, w = in.a, 1
	if v == w { // from a
	}
	if w == 1 && in.b > v || in.c == 0 { // from a b
	}
	ok := in.a > 0 && in.b > 0 // from a
	if ok {                    // from a
	}
	if !(ok == (in.c > 0)) { // from a c
	}
}

func TestLoops(t *testing.T) {
	begin()
	n := in.c
	sum := 0
	for i := 0; i < n; i++ { // from c
		sum += i
	}
	if sum > 0 { // from nothing
	}
	for sum < 10 { // from b
		sum += in.b
	}
	for i := range in.a { // from a
		sum = i
	}
	if sum == 0 { // from nothing
	}
	for i, j := in.a, in.b; i < j; i, j = i+1, j-1 { // from a b
		sum = j
	}
	if sum > 0 { // from b
	}
}

type node struct {
	val  int
	next *node
	pos  struct{ x, y int32 }
}

func TestMemory(t *testing.T) {
	begin()
	p := &node{}
	p.val = in.a
	p.next = &node{val: in.b}
	if p.val > 0 { // from a
	}
	if p.next.val > 0 { // from b
	}
	p.pos.x, p.pos.y = int32(in.c), 7
	if p.pos.y == 7 { // from nothing
	}
	if p.pos.x == 3 { // from c
	}
	q := *p
	if q.pos.y == 7 { // from a c
	}
	s := []int{in.a, 2, 3}
	s[1] = in.d
	s[2] = 0
	if s[2] == 0 { // from nothing
	}
	if s[in.a] == 4 { // from a d
	}
	s = append(s, in.b, 9)
	if s[3] == 2 { // from b
	}
	if s[1] == 4 { // from d
	}
	s = append(s, s...)
	if s[6] == 4 { // from d
	}
	u := make([]int, 4)
	copy(u, s[1:])
	if u[0] == 4 { // from d
	}
	if u[2] == 2 { // from b
	}
	m := map[string]int{"x": in.a}
	m["y"] = in.b
	if v, ok := m["x"]; ok && v == 1 { // from a b
	}
	x := 1
	r := &x
	*r = in.c
	if x == 3 { // from c
	}
	var a [3]int
	a[0] = in.a
	if a[1] == 0 { // from a
	}
	b := a
	b[in.d-4]++
	if b[0] == 2 { // from a d
	}
	str := string([]byte{byte(in.a + 'a')})
	if str[0] == 'b' { // from a
	}
	for i, e := range s[:2] { // from nothing
		if i == 0 && e == 1 { // from a
			break
		}
	}
	clear(m)
}
