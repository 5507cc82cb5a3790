// Package fuzzed links what Go's compiler calls in packages whose branches are counted into
// programs without package testing.
package fuzzed
