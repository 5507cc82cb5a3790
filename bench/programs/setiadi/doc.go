// Package setiadi has programs with the shapes of the five experiments of
// Setiadi, Ohsuga & Maekawa, section V.B, as far as its text and figures tell them: which goroutines there are,
// which variables they share, which branches depend on what others write. The Java
// programs themselves are much larger.
package setiadi
