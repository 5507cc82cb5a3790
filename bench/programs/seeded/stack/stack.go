// Package stack has a stack without locks.
package stack

import "sync/atomic"

type node[T any] struct {
	value T
	next  *node[T]
}

// Stack has no locks. Pop stores where it ought to compare and swap.
type Stack[T any] struct{ head atomic.Pointer[node[T]] }

// Push puts a value on top.
func (s *Stack[T]) Push(v T) {
	n := &node[T]{value: v}
	for {
		n.next = s.head.Load()
		if s.head.CompareAndSwap(n.next, n) {
			return
		}
	}
}

// Pop removes the value on top.
func (s *Stack[T]) Pop() (v T, ok bool) {
	n := s.head.Load()
	if n == nil {
		return v, false
	}
	s.head.Store(n.next)
	return n.value, true
}

// FixedStack is the twin.
type FixedStack[T any] struct{ s Stack[T] }

// Push puts a value on top.
func (s *FixedStack[T]) Push(v T) { s.s.Push(v) }

// Pop removes the value on top.
func (s *FixedStack[T]) Pop() (v T, ok bool) {
	for {
		n := s.s.head.Load()
		if n == nil {
			return v, false
		}
		if s.s.head.CompareAndSwap(n, n.next) {
			return n.value, true
		}
	}
}
