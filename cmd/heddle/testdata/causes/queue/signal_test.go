package queue

import (
	"sync"
	"testing"
)

func TestPass(t *testing.T) {
	g := NewGate()
	go g.Open()
	g.Pass()
}

func TestPassInBackground(t *testing.T) {
	g := NewGate()
	var wg sync.WaitGroup
	wg.Go(g.Pass)
	g.Open()
	wg.Wait()
}

func TestPassIsLeft(t *testing.T) {
	g := NewGate()
	go g.Pass()
	g.Open()
}
