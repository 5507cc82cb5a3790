// Package main is of a module without generics, whose loop variables are shared.

package main

import "fmt"

var n int
var m = map[string]int{"a": 1}

type t struct{ a []int }

func main() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { return i })
	}
	for k, v := range m {
		fs = append(fs, func() int { return len(k) + v })
	}
	for _, v := range []int{4, 5, 6} {
		fs = append(fs, func() int { n += v; return n })
	}
	// Headers of several lines.
	for _, v := range []struct {
		a int
	}{
		{7},
		{8},
	} {
		fs = append(fs, func() int { return v.a })
	}
	for k := range map[int]int{
		9: 9,
	} {
		fs = append(fs, func() int { return k })
	}
	for i := 0; i <
		3; i +=
		1 {
		fs = append(fs, func() int { return i })
	}
	for i := range []int{
		1,
		2,
	} {
		fs = append(fs, func() int { return i })
	}
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
	fmt.Println()
	c := make(chan int, 1)
	go func() { c <- 1 }()
	select {
	case v, ok := <-c:
		fmt.Println(v, ok)
	}
	x := &t{a: []int{1}}
	x.a[0]++
	m["a"] += x.a[0]
	fmt.Println(m, x.a, tagged(), constrained(), line())
}
