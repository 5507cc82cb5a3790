package programs

import (
	"slices"
	"sync"
)

// Programs that are large but hardly concurrent: many accesses to much memory, many goroutines.

// Words sums n words and writes them, again and again: rounds*n reads and writes.
func Words(n, rounds int) uint64 {
	words := make([]uint64, n)
	sum := uint64(0)
	for range rounds {
		for i := range words {
			sum += words[i]
			words[i] = sum
		}
	}
	return sum
}

// Bitmap sets every third bit of a bitmap of n bits and counts the bits that are set, one by one.
func Bitmap(n int) int {
	bits := make([]uint64, (n+63)/64)
	for i := 0; i < n; i += 3 {
		bits[i/64] |= 1 << (i % 64)
	}
	count := 0
	for i := range n {
		if bits[i/64]>>(i%64)&1 != 0 {
			count++
		}
	}
	return count
}

// Containers fills n small arrays of 16-bit numbers, as compressed bitmaps
// have them, and looks for numbers in them by bisection. It returns how many it found.
func Containers(n, size, lookups int) int {
	arrays := make([][]uint16, n)
	for i := range arrays {
		for j := range size {
			arrays[i] = append(arrays[i], uint16(j*3))
		}
	}
	found := 0
	for k := range lookups {
		a, x := arrays[k%n], uint16(k)
		lo, hi := 0, len(a)
		for lo < hi {
			if m := (lo + hi) / 2; a[m] < x {
				lo = m + 1
			} else {
				hi = m
			}
		}
		if lo < len(a) && a[lo] == x {
			found++
		}
	}
	return found
}

// Sort sorts n pseudo-random numbers and returns the smallest.
func Sort(n int) int {
	xs := make([]int, n)
	x := uint32(1)
	for i := range xs {
		x = x*1664525 + 1013904223
		xs[i] = int(x >> 1)
	}
	slices.Sort(xs)
	return xs[0]
}

// Crowd starts n goroutines that each lock a mutex rounds times, and returns how often it was
// locked.
func Crowd(n, rounds int) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	locked := 0
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range rounds {
				mu.Lock()
				locked++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return locked
}
