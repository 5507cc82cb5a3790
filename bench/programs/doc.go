// Package programs has the programs that heddle is measured on: the bodies of the speed benchmarks
// (speed.go), well-known small concurrent programs with a bug that depends on the schedule,
// rebuilt from their public descriptions (sctbench.go, structures.go, bluetooth.go), and programs
// of the papers that heddle implements (papers.go).
//
// They are ordinary Go functions, and are controlled if a test under heddle calls them. A program
// with a bug returns a wrong result as an error. A program that deadlocks does not return. Without
// heddle both practically never happen.
//
// Variables that the original programs access without a lock are atomics here, so that the bug is
// the wrong result and not a data race.
package programs
