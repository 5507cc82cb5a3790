package observe

import (
	"math/rand/v2"
	"testing"
)

// TestForks compares what is found among many edges with what is found by looking at each, the
// first one first.
func TestForks(t *testing.T) {
	const cells, versions = 5, 3
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := &program{}
		p.newNode(0, 0)
		at := p.newNode(0, 0)
		s := &state{p: p, seen: make([]int32, cells)}
		n := p.node(at)
		look := func() {
			for i := range s.seen {
				s.seen[i] = int32(r.IntN(versions))
			}
			by, result, message := int16(r.IntN(2)), int32(r.IntN(2)), int32(r.IntN(2))
			var want *edge
			for i := range n.edges {
				if s.fits(&n.edges[i], by, result, message) {
					want = &n.edges[i]
					break
				}
			}
			if got := s.find(at, by, result, message); got != want {
				t.Fatalf("seed %d, %d edges: %+v, want %+v", seed, len(n.edges), got, want)
			}
		}
		for range 60 {
			e := edge{at: int16(r.IntN(2)), outcome: int32(r.IntN(2)), message: int32(r.IntN(2))}
			for c := range int32(cells) {
				// most edges read the same cells, as goroutines do that observed the same
				if r.IntN(4) != 0 && (seed%2 == 0 || c != 1) {
					e.reads = append(e.reads, reading{c, int32(r.IntN(versions))})
				}
			}
			n.edges = append(n.edges, e)
			for range 5 {
				look()
			}
		}
	}
	// of a goroutine that reads nothing
	p := &program{}
	p.newNode(0, 0)
	at := p.newNode(0, 0)
	for i := range int32(2 * fewEdges) {
		p.node(at).edges = append(p.node(at).edges, edge{outcome: i})
	}
	s := &state{p: p}
	if e := s.find(at, 0, fewEdges+1, 0); e == nil || e.outcome != fewEdges+1 {
		t.Error(e)
	}
}
