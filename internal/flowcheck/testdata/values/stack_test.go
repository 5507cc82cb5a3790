package values

import "testing"

// Variables whose address is taken and that stay on the stack: hooks access them there.

func set(p *int, v int) { *p = v }

func same(p, q *int) bool { return *p == *q }

// deep moves the stack, which has to grow for it.
func deep(n int, p *int) int {
	var room [128]int
	room[n%128] = n
	if n == 0 {
		set(p, in.a)
		return room[0]
	}
	return deep(n-1, p) + room[(n+1)%128]
}

func TestStackGrows(t *testing.T) {
	begin()
	var before, during int
	set(&before, in.b)
	deep(200, &during)
	if before == 2 { // from b
	}
	if during == 1 { // from a
	}
	done := make(chan bool)
	go func() {
		var x int
		set(&x, in.c)
		deep(200, &during)
		if x == 3 { // from c
		}
		close(done)
	}()
	<-done
}

func labelled() {
	var x, y int
	set(&x, in.a)
	set(&y, in.b)
	if same(&x, &y) { // from a b
	}
}

// What is at the same place has no label of what was there before.
func unlabelled(bytes string) {
	var x, y int
	b := []byte(bytes)
	s := make([]int, 4)
	if same(&x, &y) || same(&x, &s[1]) {
	}
	if b[0] == 'b' || b[1] == 'b' {
	}
}

func TestStackAgain(t *testing.T) {
	begin()
	for range 3 {
		labelled()
		unlabelled("abcd")
	}
}
