package drive

import (
	"container/list"
	"reflect"
	"sync"
	"testing"

	"heddle/rt/hook"
)

type node struct {
	n    int
	next *node
	m    map[string][]int
	mu   sync.Mutex
}

func TestVariablesArePutBack(t *testing.T) {
	var (
		count  = 3
		head   = &node{n: 1, next: &node{n: 2}, m: map[string][]int{"a": {1, 2}}}
		any1   any
		names  = []string{"x", "y"}
		done   = make(chan struct{})
		queue  = make(chan int, 2)
		tokens = make(chan int, 2)
		over   = make(chan struct{})
		once   sync.Once
		l      = list.New()
		nilMap map[int]int
		f      = func() int { return count }
	)
	any1 = head
	tokens <- 5
	tokens <- 6
	close(over)
	wasOver := over
	same := done // another variable with the same channel
	hook.GlobalVars = []any{&count, &head, &any1, &names, &done, &queue, &tokens, &over, &once, &l, &nilMap,
		&same, &f}
	defer func() { hook.GlobalVars = nil }()
	s := save()
	first := head
	for range 3 {
		count++
		head.next.n = 9
		head.m["a"][0] = 7
		head.m["b"] = nil
		head.mu.Lock()
		head = &node{}
		any1 = nil
		names[1] = "z"
		names = append(names, "w")
		close(done)
		queue <- 1
		<-tokens
		once.Do(func() {})
		l.PushBack(1)
		nilMap = map[int]int{1: 1}

		s.restore()

		if count != 3 || head != first || any1 != any(first) || head.next.n != 2 ||
			!reflect.DeepEqual(head.m, map[string][]int{"a": {1, 2}}) {
			t.Fatalf("count %d, head %+v", count, head.next)
		}
		if over != wasOver {
			t.Fatal("a channel that was closed from the start is another one")
		}
		if len(tokens) != 2 {
			t.Fatalf("%d tokens, want 2", len(tokens))
		}
		if a, b := <-tokens, <-tokens; a != 5 || b != 6 {
			t.Fatalf("tokens %d and %d, want 5 and 6", a, b)
		}
		if !head.mu.TryLock() {
			t.Fatal("the lock is still held")
		}
		head.mu.Unlock()
		if !reflect.DeepEqual(names, []string{"x", "y"}) || len(queue) != 0 || cap(queue) != 2 ||
			l.Len() != 0 || nilMap != nil {
			t.Fatalf("names %v, queue %d, list %d", names, len(queue), l.Len())
		}
		select {
		case <-done:
			t.Fatal("the channel is still closed")
		default:
		}
		if same != done {
			t.Fatal("two variables no longer hold the same channel")
		}
		ran := false
		once.Do(func() { ran = true })
		if !ran {
			t.Fatal("the Once is still done")
		}
		s.restore()
	}
}
