package programs

import "testing"

// What the bench command measures beside TestRing, TestLocks and TestAtomics:
// what an execution costs that does nothing, and one that only accesses memory.

func TestNothing(t *testing.T) {}

// 1,000 accesses in one goroutine.
func TestAccesses1(t *testing.T) { Accesses(new(Vars)) }

// 2,000 accesses, by two goroutines one after the other.
func TestAccesses2(t *testing.T) { SharedAccesses(new(Vars)) }
