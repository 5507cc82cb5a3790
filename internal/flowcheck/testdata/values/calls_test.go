package values

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func add(x, y int) int { return x + y }

func swap(x, y int) (int, int) { return y, x }

func named(x int) (r int, err error) {
	if x > 100 { // from a
		return 0, errors.New("large")
	}
	r = x + 1
	return
}

func deferred(x, y int) (r int) {
	defer func() { r += y }()
	return x
}

func late(p *int, x int) { *p = x }

func sum(xs ...int) (s int) {
	for _, x := range xs { // from a b c
		s += x
	}
	return s
}

func fact(n int) int {
	if n == 0 { // from c
		return 1
	}
	return n * fact(n-1)
}

type shape interface{ area(scale int) int }

type square struct{ side int }
type rect struct{ w, h int }

func (s square) area(scale int) int { return s.side * s.side * scale }
func (r *rect) area(scale int) int  { return r.w * r.h }

type outer struct {
	rect
	shape
}

func first[T any](x, y T) T { return x }

type pair[K comparable, V any] struct {
	key K
	val V
}

func (p *pair[K, V]) set(k K, v V) { p.key, p.val = k, v }

func TestCalls(t *testing.T) {
	begin()
	if add(in.a, 1) == 2 { // from a
	}
	x, y := swap(in.a, in.b)
	if x == 2 { // from b
	}
	if y == 1 { // from a
	}
	r, err := named(in.a)
	if err != nil { // from nothing
	}
	if r == 2 { // from a
	}
	if v, err := named(in.a); err == nil && v == 2 { // from a
	}
	if add(swap(in.c, in.d)) == 7 { // from c d
	}
	if deferred(in.a, in.b) == 3 { // from a b
	}
	func() {
		defer late(&x, in.d)
		x = 0
	}()
	if x == 4 { // from d
	}
	if sum(in.a, in.b, in.c) == 6 { // from a b c
	}
	if fact(in.c) == 6 { // from c
	}
	if first(in.a, in.b) == 1 { // from a
	}
	p := &pair[string, int]{}
	p.set("k", in.d)
	if p.val == 4 { // from d
	}
	if p.key == "k" { // from nothing
	}
	f := add
	if f(1, in.c) == 4 { // from c
	}
	g := p.set
	g("l", in.a)
	if p.val == 1 { // from a
	}
}

func TestInterfaces(t *testing.T) {
	begin()
	var s shape = square{in.b}
	if s.area(1) == 4 { // from b
	}
	if s.area(in.a) == 4 { // from a b
	}
	s = &rect{in.a, 7}
	if s.area(in.c) == 7 { // from a
	}
	o := outer{rect{2, in.d}, s}
	if o.shape.area(0) == 7 { // from a d
	}
	if o.rect.area(0) == 8 { // from d
	}
	var v any = in.c
	if n, ok := v.(int); ok && n == 3 { // from c
	}
	switch n := v.(type) { // from c
	case string:
	case int:
		if n == 3 { // from c
		}
	}
	if v.(int) == 3 { // from c
	}
}

func TestClosures(t *testing.T) {
	begin()
	n := in.a
	inc := func(k int) int { return n + k }
	if inc(in.b) == 3 { // from a b
	}
	count := 0
	step := func() { count += in.c }
	step()
	if count == 3 { // from c
	}
	var fs []func() int
	for i := range 2 {
		x := in.d + i
		if i == 1 { // from nothing
			x = 0
		}
		fs = append(fs, func() int { return x })
	}
	if fs[0]() == 4 { // from d
	}
	if fs[1]() == 0 { // from nothing
	}
	seq := func(yield func(int) bool) {
		_ = yield(in.a) && yield(in.b) // from a
	}
	for v := range seq {
		if v == 0 { // from a b
		}
	}
}

func TestSwitches(t *testing.T) {
	begin()
	x := in.a
	switch x { // from a
	case 1:
		x = in.b
		fallthrough
	case 7:
		x++
	}
	switch { // the cases are the branches
	case x == 1: // from b
	case x == 3: // from b
	}
	switch y := in.c; y { // from c d
	case in.d:
	default:
	}
	switch 3 {
	case 3:
	}
}

func TestChannels(t *testing.T) {
	begin()
	c := make(chan int, 2)
	c <- in.a     // from a
	if <-c == 1 { // from recv
	}
	done := make(chan int)
	go func(x int) {
		done <- x + in.b // from a b
		close(done)
	}(in.a)
	v, ok := <-done
	if ok && v == 3 { // from recv
	}
	for range done { // from recv
	}
	select { // from recv
	case v = <-done:
	default:
	}
	if v == 0 { // from recv
	}
	if len(c) == 0 { // from len
	}
}

func TestOthers(t *testing.T) {
	begin()
	var a atomic.Int64
	a.Store(int64(in.a))
	if a.Load() == 1 { // from atomic-load
	}
	if strconv.Itoa(in.a) == "1" { // from a
	}
	if n, err := strconv.Atoi(strings.Repeat("1", in.b)); err == nil && n == 11 { // from b
	}
	if fmt.Sprint(in.a, in.b) == "1 2" { // from a b
	}
	xs := []int{in.c, in.b}
	sort.Ints(xs)
	if xs[0] == 2 { // from b c
	}
	var sb strings.Builder
	sb.WriteString(strconv.Itoa(in.d))
	if sb.String() == "4" { // from d
	}
	var mu sync.Mutex
	mu.Lock()
	x := in.a
	mu.Unlock()
	if x == 1 { // from a
	}
	if mu.TryLock() { // from trylock
		mu.Unlock()
	}
}
