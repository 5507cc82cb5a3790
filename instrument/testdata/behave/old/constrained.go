// A comment.

//go:build linux || darwin
// +build linux darwin

// Package main has a constraint.
package main

import "runtime"

func constrained() int { n++; return n }

func line() int {
	_, _, l, _ := runtime.Caller(0)
	n++
	return l
}
