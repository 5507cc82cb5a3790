// Package setiadi has programs with the structure of the five experiments of Setiadi, Ohsuga &
// Maekawa, section V.B, as far as its text and figures describe them: the goroutines, their shared
// variables, and the branches that depend on writes of other goroutines. The Java programs
// themselves are much larger.
package setiadi
