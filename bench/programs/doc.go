// Package programs holds the programs that heddle is measured on: the bodies
// of the speed benchmarks (speed.go), well-known small concurrent programs
// with a bug that depends on the schedule, rebuilt from their public
// descriptions (sctbench.go, structures.go, bluetooth.go), and programs of the
// papers that heddle implements (papers.go).
//
// They are ordinary Go functions. Called in a test under heddle they are
// controlled; called plainly they just run. A program with a bug returns the
// wrong result it saw as an error; a program whose bug is a deadlock does not
// return at all when it happens. Plainly, both practically never happen.
//
// Variables that the original programs access without a lock are atomics here,
// so that the bug is the wrong result, and not a data race.
package programs
