// Package access has programs that access much memory and do little else. The cost of their
// executions is that of instrumented accesses.
package access

import "sync"

// A Matrix is a square matrix by rows.
type Matrix [][]float64

// NewMatrix returns a matrix of n rows with small numbers.
func NewMatrix(n int) Matrix {
	m := make(Matrix, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = float64((i*7 + j*3) % 10)
		}
	}
	return m
}

// rows computes the rows from lo to hi of the product of a and b.
func (c Matrix) rows(a, b Matrix, lo, hi int) {
	for i := lo; i < hi; i++ {
		for j := range b {
			sum := 0.0
			for k := range b {
				sum += a[i][k] * b[k][j]
			}
			c[i][j] = sum
		}
	}
}

// Product multiplies two matrices by a number of goroutines, each of which computes a part of the
// rows; 0: without goroutines.
func Product(a, b Matrix, goroutines int) Matrix {
	n := len(a)
	c := NewMatrix(n)
	if goroutines == 0 {
		c.rows(a, b, 0, n)
		return c
	}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() { c.rows(a, b, g*n/goroutines, (g+1)*n/goroutines) })
	}
	wg.Wait()
	return c
}

// A Tree is a binary search tree of numbers.
type Tree struct {
	root  *node
	count int
}

type node struct {
	key         int
	left, right *node
}

// Insert inserts a number, unless it is there.
func (t *Tree) Insert(key int) {
	at := &t.root
	for *at != nil {
		switch n := *at; {
		case key < n.key:
			at = &n.left
		case key > n.key:
			at = &n.right
		default:
			return
		}
	}
	*at = &node{key: key}
	t.count++
}

// Has reports whether a number is there.
func (t *Tree) Has(key int) bool {
	n := t.root
	for n != nil && n.key != key {
		if key < n.key {
			n = n.left
		} else {
			n = n.right
		}
	}
	return n != nil
}

// Sieve returns how many primes there are below n.
func Sieve(n int) int {
	composite := make([]bool, n)
	count := 0
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		count++
		for j := 2 * i; j < n; j += i {
			composite[j] = true
		}
	}
	return count
}
