// Package observed has programs with many interleavings of which few differ in anything that a
// goroutine observes: those on which reductions by observation are compared in the literature, and
// the shapes of tests of Go code.
package observed
