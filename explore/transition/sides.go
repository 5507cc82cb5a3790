package transition

import (
	"slices"
	"sort"
)

// The offers at unbuffered channels by side and goroutine: of each goroutine those that may be
// partners of an operation follow each other, so they are found without a look at all.

// A sideBy is a goroutine at one side of a channel.
type sideBy struct {
	obj  Object
	send bool
	proc Proc // NoProc: all of them
}

// A stand lists the offers of one goroutine at one side of a channel, in order: those of operations
// that were done, and those of operations that were not. That of NoProc lists stands.
type stand struct{ done, open []int32 }

// A market has the stands of an execution.
type market struct {
	at     map[sideBy]int32 // in stands
	stands []stand          // memory beyond n is reused
	n      int
	found  []int32
}

// FewOffers is up to how many offers it is cheaper to look at all of them. It is a variable for
// tests.
var FewOffers = 64

// fill makes m the offers of p.
func (m *market) fill(p *Path) {
	m.n = 0
	if len(p.offers) <= FewOffers {
		return
	}
	if m.at == nil {
		m.at = make(map[sideBy]int32)
	}
	clear(m.at)
	for i := range p.offers {
		k := &p.offers[i]
		if p.Tab.objects[k.obj].Cap > 0 {
			continue
		}
		q, n := &p.ops[k.op], m.n
		at := m.stand(sideBy{k.obj, k.send, q.Proc})
		if m.n > n {
			all := m.stand(sideBy{k.obj, k.send, NoProc})
			m.stands[all].done = append(m.stands[all].done, at)
		}
		if s := &m.stands[at]; q.Done < p.n {
			s.done = append(s.done, int32(i))
		} else {
			s.open = append(s.open, int32(i))
		}
	}
}

// stand returns the index of a stand, which is made if there is none.
func (m *market) stand(by sideBy) int32 {
	if at, ok := m.at[by]; ok {
		return at
	}
	if m.n == len(m.stands) {
		m.stands = append(m.stands, stand{})
	}
	s := &m.stands[m.n]
	s.done, s.open = s.done[:0], s.open[:0]
	m.at[by] = int32(m.n)
	m.n++
	return int32(m.n - 1)
}

// facing returns the offers at the other side of k, an offer of o, in order. It may leave out those
// that are apart from o. The next call overwrites the result.
//
// Operations of one goroutine that were done follow each other. So if one was done before o was
// announced, so were those before it; if one was announced after o was done, so were those after
// it.
func (m *market) facing(p *Path, o *Operation, k *offer) []int32 {
	found := m.found[:0]
	if len(p.offers) <= FewOffers {
		for i := range p.offers {
			if l := &p.offers[i]; l.obj == k.obj && l.send != k.send {
				found = append(found, int32(i))
			}
		}
		m.found = found
		return found
	}
	all, ok := m.at[sideBy{k.obj, !k.send, NoProc}]
	if !ok {
		return nil
	}
	for _, at := range m.stands[all].done {
		s := &m.stands[at]
		rest := s.done[sort.Search(len(s.done), func(i int) bool {
			return !p.reaches(p.ops[p.offers[s.done[i]].op].Done, int32(o.Announced))
		}):]
		if o.Done < p.n {
			rest = rest[:sort.Search(len(rest), func(i int) bool {
				return p.reaches(o.Done, int32(p.ops[p.offers[rest[i]].op].Announced))
			})]
		}
		found = append(append(found, rest...), s.open...)
	}
	slices.Sort(found)
	m.found = found
	return found
}
