package main

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"
)

func init() {
	programs["range"] = ranges
	programs["rangegeneric"] = rangeGeneric
	programs["loopvar"] = loopvars
}

func ranges() {
	m := map[string]int{"a": 1}
	for k, v := range m {
		fmt.Println(k, v)
	}
	for k := range m {
		k := k + "!"
		fmt.Println(k)
	}
	for _, v := range m {
		v := v + 1
		fmt.Println(v)
	}
	for range m {
		fmt.Println("once")
	}
	var k string
	var v int
	for k, v = range m {
	}
	for k = range m {
	}
	for _, gptr.val = range m {
	}
	fmt.Println(k, v, gptr.val)
	big := map[int]int{}
	for i := range 100 {
		big[i] = i * i
	}
	sum := 0
	for k, v := range big {
		sum += v - k
		delete(big, k)
		delete(big, k+1)
	}
	fmt.Println(len(big) == 0)
	grow := map[int]bool{1: true}
	for k := range grow {
		if k < 50 {
			grow[k+1] = true
		}
	}
	fmt.Println(len(grow) > 1)
	nan := map[float64]int{math.NaN(): 1, math.NaN(): 2}
	count := 0
	for k, v := range nan {
		if k != k {
			count += v
		}
	}
	fmt.Println(count)
	var nilm map[string]int
	for range nilm {
		fmt.Println("never")
	}
	s := []int{1, 2, 3}
	for i, v := range s {
		s = append(s, v)
		s[i] *= 10
	}
	fmt.Println(s)
	for i, v := range s {
		if i < len(s)-1 {
			s[i+1] = v + 1
		}
	}
	fmt.Println(s)
	for _, v := range s {
		v := v
		_ = v
	}
	for i := range s {
		s[i] = i
	}
	for range s {
		v++
	}
	var i int
	for i, gslice[0] = range s {
		_ = i
	}
	fmt.Println(v, gslice[0])
	arr := [3]int{1, 2, 3}
	for i, v := range arr {
		arr[2] = 10
		fmt.Print(i, v, " ")
	}
	for i, v := range &arr {
		arr[2] = 20
		fmt.Print(i, v, " ")
	}
	fmt.Println()
	garr = [4]int{1, 2, 3, 4}
	for i, v := range garr {
		garr[3] = 7
		fmt.Print(i, v, " ")
	}
	var np *[3]int
	for i := range np {
		fmt.Print(i)
	}
	for i := range len(np) {
		fmt.Print(i)
	}
	try(func() {
		for i, v := range np {
			fmt.Print(i, v)
		}
	})
	for i, r := range "héé" {
		fmt.Print(i, string(r), " ")
	}
	fmt.Println()
	c := make(chan int, 5)
	for i := range 5 {
		c <- i
	}
	close(c)
	for v := range c {
		if v == 1 {
			continue
		}
		if v == 3 {
			break
		}
		fmt.Print(v, " ")
	}
	for range c {
		fmt.Print("last ")
	}
	for v = range c {
	}
	fmt.Println()
outer:
	for i, v := range s {
		for k := range m {
			if i == 1 {
				continue outer
			}
			if i == 3 {
				break outer
			}
			fmt.Print(i, v, k, " ")
		}
	}
	fmt.Println()
	for i := range count3 {
		fmt.Print(i, " ")
	}
	next, stop := iter.Pull(count3)
	defer stop()
	fmt.Println(next())
	for i, v := range slices.Backward([]string{"x", "y"}) {
		fmt.Print(i, v)
	}
	fmt.Println(slices.Sorted(maps.Keys(map[string]int{"q": 1, "p": 2})))
	for i := range say("n", 2) {
		fmt.Print(i)
	}
	for _, f := range []func() int{func() int { return 1 }, func() int { return 2 }} {
		fmt.Print(f())
	}
	for _, p := range []*node{{val: 1}, {val: 2, list: []int{3}}} {
		fmt.Print(p.val, p.list)
	}
	for _, e := range [...]struct {
		a string
		b []int
	}{
		{"a", []int{1}},
		{"b", nil},
	} {
		fmt.Print(e.a, e.b)
	}
	fmt.Println()
	for k, v := range map[string]map[string]int{"o": {"i": 1}} {
		for kk, vv := range v {
			fmt.Println(k, kk, vv)
		}
	}
	switch {
	case len(m) == 1:
		for k := range m {
			delete(m, k)
			break
		}
		fallthrough
	default:
		fmt.Println(len(m))
	}
}

func count3(yield func(int) bool) {
	for i := range 3 {
		if !yield(i) {
			return
		}
	}
}

func keys[M ~map[K]V, K ~string, V any](m M) []K {
	var out []K
	for k := range m {
		out = append(out, k)
	}
	for k, v := range m {
		_ = v
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

func drain[C ~chan T | ~<-chan T, T any](c C) (out []T) {
	for v := range c {
		out = append(out, v)
	}
	return
}

func total[S ~[]E, E ~int | ~float64](s S) (t E) {
	for _, v := range s {
		t += v
	}
	for i, v := range s {
		s[i] = v + 1
	}
	return t
}

func bytesOf[B ~[]byte | ~string](b B) int {
	n := 0
	for i := range len(b) {
		n += int(b[i])
	}
	return n + len(b)
}

type Set map[string]struct{}

func rangeGeneric() {
	fmt.Println(keys(map[string]int{"a": 1, "b": 2}), keys(Set{"x": {}}))
	c := make(chan string, 2)
	c <- "p"
	c <- "q"
	close(c)
	fmt.Println(drain(c))
	fmt.Println(total(Ints{1, 2}), total([]float64{1, 2.5}))
	fmt.Println(bytesOf("abc"), bytesOf([]byte{1}))
}

func loopvars() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, v := range []int{5, 6} {
		fs = append(fs, func() int { v++; return v })
	}
	for k, v := range map[int]int{7: 8} {
		fs = append(fs, func() int { k++; v++; return k + v })
	}
	for i := range []int{1, 2} {
		fs = append(fs, func() int { i++; return i })
	}
	for i := range 2 {
		fs = append(fs, func() int { i++; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	for i := 0; i < 5; i++ {
		func() { i++ }()
		fmt.Print(i, " ")
	}
	var ps []*int
	for i, j := 0, 10; i < 3; i, j = i+1, j-1 {
		ps = append(ps, &i, &j)
	}
	for _, p := range ps {
		fmt.Print(*p, " ")
	}
	fmt.Println()
}
