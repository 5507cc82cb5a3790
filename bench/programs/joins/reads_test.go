package joins

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
)

// Each test fails in one or two of four histories: the first reader has seen the store of its pair,
// the second has not. What tells is read after the join, in each in another way.

type result struct {
	v    int32
	next *result
}

func fails(t *testing.T, ok bool) {
	if ok {
		t.Error("the first came last, the second came first")
	}
}

func TestReadSorted(t *testing.T) {
	buggy(t)
	got := make([]int, 3)
	pairs(2, func(i int, v int32) { got[i] = int(v) * (i + 2) })
	sort.Ints(got)
	fails(t, got[2] == 2)
}

func TestReadSlicesSort(t *testing.T) {
	buggy(t)
	got := make([]int, 3)
	pairs(2, func(i int, v int32) { got[i] = int(v) * (i + 2) })
	slices.Sort(got)
	fails(t, slices.Max(got) == 2)
}

func TestReadSprint(t *testing.T) {
	buggy(t)
	got := make([]int32, 2)
	pairs(2, func(i int, v int32) { got[i] = v })
	fails(t, fmt.Sprint(got) == "[1 0]")
}

func TestReadCopy(t *testing.T) {
	buggy(t)
	var got [2]int32
	pairs(2, func(i int, v int32) { got[i] = v })
	here := got
	fails(t, here == [2]int32{1, 0})
}

func TestReadAppend(t *testing.T) {
	buggy(t)
	var mu sync.Mutex
	var got []int
	pairs(2, func(i int, v int32) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, i*2+int(v))
	})
	fails(t, slices.Equal(got, []int{2, 1}))
}

func TestReadMap(t *testing.T) {
	buggy(t)
	var mu sync.Mutex
	got := map[int]int32{}
	pairs(2, func(i int, v int32) {
		mu.Lock()
		defer mu.Unlock()
		got[i] = v
	})
	fails(t, got[0] == 1 && got[1] == 0)
}

func TestReadMapEqual(t *testing.T) {
	buggy(t)
	var mu sync.Mutex
	got := map[int]int32{}
	pairs(2, func(i int, v int32) {
		mu.Lock()
		defer mu.Unlock()
		got[i] = v
	})
	fails(t, maps.Equal(got, map[int]int32{0: 1, 1: 0}))
}

func TestReadMapLen(t *testing.T) {
	buggy(t)
	var mu sync.Mutex
	got := map[int]bool{}
	pairs(2, func(i int, v int32) {
		if v == 1 {
			mu.Lock()
			defer mu.Unlock()
			got[i] = true
		}
	})
	fails(t, len(got) == 1 && got[0])
}

func TestReadSyncMap(t *testing.T) {
	buggy(t)
	var got sync.Map
	pairs(2, func(i int, v int32) { got.Store(i, v) })
	a, _ := got.Load(0)
	b, _ := got.Load(1)
	fails(t, a == int32(1) && b == int32(0))
}

func TestReadPointers(t *testing.T) {
	buggy(t)
	first, second := &result{}, &result{}
	first.next = second
	pairs(2, func(i int, v int32) {
		if i == 0 {
			*first = result{v, second}
		} else {
			second.v = v
		}
	})
	fails(t, first.v == 1 && first.next.v == 0)
}

func TestReadInterface(t *testing.T) {
	buggy(t)
	got := make([]any, 2)
	pairs(2, func(i int, v int32) {
		got[i] = v
		if v == 0 {
			got[i] = "none"
		}
	})
	_, text := got[1].(string)
	fails(t, got[0] == int32(1) && text)
}

func TestReadBuilders(t *testing.T) {
	buggy(t)
	var got [2]strings.Builder
	pairs(2, func(i int, v int32) { fmt.Fprint(&got[i], v) })
	fails(t, got[0].String()+got[1].String() == "10")
}

func TestReadBuffers(t *testing.T) {
	buggy(t)
	var got [2]bytes.Buffer
	pairs(2, func(i int, v int32) { got[i].WriteByte('0' + byte(v)) })
	fails(t, bytes.Equal(append(got[0].Bytes(), got[1].Bytes()...), []byte("10")))
}

func TestReadJSON(t *testing.T) {
	buggy(t)
	var got struct{ A, B int32 }
	pairs(2, func(i int, v int32) {
		if i == 0 {
			got.A = v
		} else {
			got.B = v
		}
	})
	b, err := json.Marshal(got)
	fails(t, err == nil && string(b) == `{"A":1,"B":0}`)
}

func TestReadMessages(t *testing.T) {
	buggy(t)
	got := make(chan int, 2)
	pairs(2, func(i int, v int32) { got <- i*2 + int(v) })
	a, b := <-got, <-got
	fails(t, a == 2 && b == 1)
}

func TestReadLen(t *testing.T) {
	buggy(t)
	got := make(chan int, 2)
	pairs(2, func(i int, v int32) {
		if v == int32(1-i) {
			got <- i
		}
	})
	fails(t, len(got) == 2)
}

func TestReadByAnother(t *testing.T) {
	buggy(t)
	got := make([]int32, 2)
	pairs(2, func(i int, v int32) { got[i] = v })
	done := make(chan bool)
	go func() {
		fails(t, got[0] == 1 && got[1] == 0)
		close(done)
	}()
	<-done
}

func TestReadOnce(t *testing.T) {
	buggy(t)
	var first sync.Once
	var mu sync.Mutex
	got, at := int32(0), 0
	pairs(2, func(i int, v int32) {
		mu.Lock()
		defer mu.Unlock()
		first.Do(func() { got, at = v, i })
	})
	fails(t, got == 0 && at == 1)
}

func TestReadNested(t *testing.T) {
	buggy(t)
	var got [2]int32
	var wg sync.WaitGroup
	for k := range 2 {
		wg.Go(func() {
			pairs(1, func(_ int, v int32) { got[k] = v })
		})
	}
	wg.Wait()
	fails(t, got == [2]int32{1, 0})
}

func TestReadFailed(t *testing.T) {
	buggy(t)
	t.Run("sub", func(t *testing.T) {
		pairs(2, func(i int, v int32) {
			if v == int32(1-i) && i == 1 {
				t.Error("the second came first")
			}
		})
		if t.Failed() {
			panic("seen")
		}
	})
}
