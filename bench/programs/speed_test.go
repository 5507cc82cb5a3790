package programs

import "testing"

// The bench command measures these beside TestRing, TestLocks and TestAtomics: the cost of an
// execution without operations, and of one that only accesses memory.

func TestNothing(t *testing.T) {}

// 1,000 accesses in one goroutine.
func TestAccesses1(t *testing.T) { Accesses(new(Vars)) }

// 2,000 accesses, by two goroutines one after the other.
func TestAccesses2(t *testing.T) { SharedAccesses(new(Vars)) }
