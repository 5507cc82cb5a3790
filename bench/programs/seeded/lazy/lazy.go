// Package lazy has a value that is made when it is needed.
package lazy

import "sync"

// Value is made by a function, at most once. Get looks under the lock and makes it outside.
type Value[T any] struct {
	mu     sync.Mutex
	create func() T
	value  *T
	made   int
}

// Of returns a value that create makes.
func Of[T any](create func() T) *Value[T] { return &Value[T]{create: create} }

// Get returns the value and how often one was made.
func (v *Value[T]) Get() (*T, int) {
	v.mu.Lock()
	have, made := v.value, v.made
	v.mu.Unlock()
	if have != nil {
		return have, made
	}
	x := v.create()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.value = &x
	v.made++
	return v.value, v.made
}

// FixedValue is the twin.
type FixedValue[T any] struct {
	mu     sync.Mutex
	create func() T
	value  *T
	made   int
}

// NewFixedValue returns a value that create makes.
func NewFixedValue[T any](create func() T) *FixedValue[T] { return &FixedValue[T]{create: create} }

// Get returns the value and how often one was made.
func (v *FixedValue[T]) Get() (*T, int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.value == nil {
		x := v.create()
		v.value = &x
		v.made++
	}
	return v.value, v.made
}
