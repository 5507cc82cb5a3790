package flow

import (
	"testing"

	"heddle/trace"
)

// limited runs test with that many bytes for labels.
func limited(t *testing.T, bytes int64) {
	was := MaxBytes
	MaxBytes = bytes
	Reset()
	t.Cleanup(func() { MaxBytes = was; Reset() })
}

func TestNodesBeyondTheLimit(t *testing.T) {
	limited(t, 10*nodeSize)
	var labels []Label
	for i := range int32(20) {
		labels = append(labels, Leaf(i))
	}
	if labels[0] == trace.Everything || labels[19] != trace.Everything || !F.Full {
		t.Fatalf("labels %v, full %v: want nodes first, then Everything", labels, F.Full)
	}
	if l := U(labels[0], labels[19]); l != trace.Everything {
		t.Errorf("a union with Everything is %d", l)
	}
}

// What a label cannot be kept for must not look like what depends on nothing.
func TestShadowBeyondTheLimit(t *testing.T) {
	limited(t, pageBytes+10*nodeSize)
	a := Leaf(1)
	memory.set(0x1000, 8, a)
	if l := memory.get(0x2000, 8); l != 0 || F.Full {
		t.Fatalf("within the limit: label %d of what was never written, full %v", l, F.Full)
	}
	memory.set(0x2000, 8, a)
	if l := memory.get(0x2000, 8); l != trace.Everything || !F.Full {
		t.Errorf("a page too many: label %d, full %v", l, F.Full)
	}
}

// Bytes of one word that have labels of their own take a finer page; without one they share theirs.
func TestFineShadowBeyondTheLimit(t *testing.T) {
	limited(t, pageBytes+10*nodeSize)
	a, b := Leaf(1), Leaf(2)
	memory.set(0x1000, 8, a)
	memory.set(0x1001, 1, b)
	if l := memory.get(0x1001, 1); l != U(a, b) || !F.Full {
		t.Errorf("label %d, full %v, want %d", l, F.Full, U(a, b))
	}
}
