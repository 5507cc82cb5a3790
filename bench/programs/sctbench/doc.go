// Package sctbench is SCTBench (Thomson, Donaldson and Betts, "Concurrency Testing Using Schedule
// Bounding: an Empirical Study", PPoPP 2014) in Go: its programs for pthreads, written anew after
// descriptions, with the numbers of threads, rounds and elements that the originals have.
//
// Three rules hold throughout:
//
//   - What is a thread in the original is a goroutine here. Main starts them in the original's
//     order and waits for all of them. A checker is a goroutine, too, where it is a thread there.
//   - A variable that several threads access without a lock is an atomic, since plain accesses that
//     race have no meaning in Go. So is each access a step, as in the studies.
//   - A failed assertion is an error that main returns. A deadlock is one.
//
// Not here are the programs that are applications (aget, ferret, streamcluster, barnes, fft, lu and
// the six of RADBench). PBZip2, CTrace and QsortMT have the bug's structure and no more.
package sctbench

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// join starts goroutines in their order and waits until all have ended.
func join(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}

// times returns n times f.
func times(n int, f func()) (fs []func()) {
	for range n {
		fs = append(fs, f)
	}
	return fs
}

// A failure keeps the first assertion that failed.
type failure struct{ first atomic.Pointer[error] }

// check notes that an assertion failed, if it did.
func (f *failure) check(ok bool, format string, args ...any) {
	if !ok {
		err := fmt.Errorf(format, args...)
		f.first.CompareAndSwap(nil, &err)
	}
}

// err returns the first assertion that failed.
func (f *failure) err() error {
	if e := f.first.Load(); e != nil {
		return *e
	}
	return nil
}
