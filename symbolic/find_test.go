package symbolic

import (
	"bytes"
	"testing"

	"heddle/trace"
)

// TestFind compares the terms of what is found in texts, and in what follows it, with what package
// bytes finds, for all short texts of a few letters.
func TestFind(t *testing.T) {
	nodes := []trace.FlowNode{{},
		1: {Op: trace.FlowLen, Kind: trace.Int, A: 0},
		2: {Op: trace.FlowBase},
		3: {Op: trace.FlowSeq, A: 2, B: 1}, // s
		4: {Op: trace.FlowChars, Kind: 1, A: ';'},
		5: {Op: trace.FlowChars, Kind: 2, A: '='<<8 | ';'},
		6: {Op: trace.FlowConst, Kind: trace.Int, A: 1},
	}
	add := func(n trace.FlowNode) uint32 {
		nodes = append(nodes, n)
		return uint32(len(nodes) - 1)
	}
	find := func(way trace.FlowOp, seq, what uint32) uint32 {
		return add(trace.FlowNode{Op: trace.FlowFind + way, Kind: trace.Int, A: seq, B: what})
	}
	two := func(op trace.FlowOp, a, b uint32) uint32 {
		return add(trace.FlowNode{Op: op, Kind: trace.Int, A: a, B: b})
	}
	set := uint32(0) // the bytes ';' and 'a'
	for k := 7; k >= 0; k-- {
		bits := uint32(0)
		for _, c := range []byte(";a") {
			if int(c)/32 == k {
				bits |= 1 << (c % 32)
			}
		}
		set = add(trace.FlowNode{Op: trace.FlowChars, Kind: 4, A: bits, B: set})
	}
	// v = s[i+1:], where i is the first ';'; w = v[:k], x = v[k+1:], where k is the first ';' of v
	i := find(0, 3, 4)
	next := two(trace.FlowAdd, i, 6)
	from := add(trace.FlowNode{Op: trace.FlowFrom, B: next})
	v := add(trace.FlowNode{Op: trace.FlowSeq, A: from, B: two(trace.FlowSub, 1, next)})
	k := find(0, v, 4)
	w := add(trace.FlowNode{Op: trace.FlowSeq, A: from, B: k})
	next2 := two(trace.FlowAdd, k, 6)
	from2 := add(trace.FlowNode{Op: trace.FlowFrom, B: two(trace.FlowAdd, next, next2)})
	x := add(trace.FlowNode{Op: trace.FlowSeq, A: from2,
		B: two(trace.FlowSub, two(trace.FlowSub, 1, next), next2)})
	pick := add(trace.FlowNode{Op: trace.FlowPick, Kind: 8, A: from, B: 1})
	var asked [4][2][3]uint32 // of s, v, w, x: by the way, for both texts and the set
	for n, seq := range []uint32{3, v, w, x} {
		for way := range asked[n] {
			asked[n][way] = [3]uint32{find(trace.FlowOp(way), seq, 4), find(trace.FlowOp(way), seq, 5),
				find(trace.FlowOp(way)+2, seq, set)}
		}
	}
	// y = s[j:], where j is the first of the set; is it empty
	j := find(2, 3, set)
	y := two(trace.FlowSub, 1, j)
	empty := add(trace.FlowNode{Op: trace.FlowLess, Kind: trace.Bool, A: y, B: 6})
	mapped := add(trace.FlowNode{Op: trace.FlowMapped, A: 2, B: set})
	add(trace.FlowNode{Op: trace.FlowSeq, A: mapped, B: 1})

	tab := NewTable()
	r := reader{t: tab, nodes: nodes, terms: make([]Term, len(nodes)), places: map[trace.FlowNode]Term{}}
	for n := range r.terms {
		r.terms[n] = None
	}
	check := func(s []byte, label uint32, want int) {
		t.Helper()
		term := r.term(trace.Label(label))
		if got := int64(tab.Eval(term, tab.Near([]any{s}))); got != int64(want) {
			t.Fatalf("%q: node %d is %d, want %d", s, label, got, want)
		}
	}
	var all func(s []byte)
	all = func(s []byte) {
		texts := [][]byte{s}
		if a, b, ok := bytes.Cut(s, []byte(";")); ok {
			texts = append(texts, b)
			check(s, i, len(a))
			if len(b) > 1 {
				check(s, pick, int(b[1]))
			}
			if c, d, ok := bytes.Cut(b, []byte(";")); ok {
				texts = append(texts, c, d)
			}
		}
		for n, text := range texts {
			for way := range asked[n] {
				for z, what := range []string{";", ";="} {
					check(s, asked[n][way][z], found(way, text, what))
				}
				if way == 0 {
					check(s, asked[n][way][2], bytes.IndexAny(text, ";a"))
				} else {
					check(s, asked[n][way][2], bytes.LastIndexAny(text, ";a"))
				}
			}
		}
		check(s, empty, 0)
		if len(s) < 5 {
			for _, c := range []byte(";=a") {
				all(append(bytes.Clone(s), c))
			}
		}
	}
	all(nil)
}

// found is what a FlowFind of that way finds.
func found(way int, s []byte, what string) int {
	if way == 0 {
		return bytes.Index(s, []byte(what))
	}
	return bytes.LastIndex(s, []byte(what))
}
