//go:build go1.21

package main

import "fmt"

func init() { programs["oldloop"] = oldLoops }

func oldLoops() {
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
		fs = append(fs, func() int { return i })
	}
lab:
	for i, v := range []int{1, 2, 3} {
		fs = append(fs, func() int { return i + v })
		for {
			continue lab
		}
	}
	c := make(chan int, 2)
	c <- 1
	c <- 2
	close(c)
	for v := range c {
		fs = append(fs, func() int { return v })
	}
	for i, r := range "ab" {
		fs = append(fs, func() int { return i + int(r) })
	}
	for i, v := range [2]string{"a", "b"} {
		fs = append(fs, func() int { return i + len(v) })
	}
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
	fmt.Println()
	var ps []*int
outer:
	for i, j := 0, 10; i < 3; i, j = i+1, j-1 {
		ps = append(ps, &i, &j)
		for range []int{1} {
			continue outer
		}
	}
	for _, p := range ps {
		fmt.Print(*p, " ")
	}
	fmt.Println()
}
