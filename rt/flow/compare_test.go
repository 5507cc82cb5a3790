package flow

import (
	"testing"

	"heddle/rt/counters"
)

// Where comparisons are kept, a text that is looked for in a map is compared with the keys that are
// there; where they are not, and of other keys, nothing is kept.
func TestKeysAreCompared(t *testing.T) {
	type name string
	var e Entry
	m := map[name]int{"mode": 1, "tls": 2}
	counters.Watch()
	AtText(InMap(m, &e), "tls", &e, 1)
	Key(name("port"), 0, &e, 2) // a key without its map
	InMap(m, &e)
	Key(name("port"), 0, &e, 3)
	AtNum(InMap(map[int]int{1: 1}, &e), 2, 0, &e, 4)
	got := map[[2]string]bool{}
	for _, p := range counters.Watched() {
		got[[2]string{p.S, p.T}] = true
	}
	for _, want := range [][2]string{{"mode", "tls"}, {"mode", "port"}, {"tls", "port"}} {
		if !got[want] {
			t.Errorf("%q is not kept", want)
		}
		delete(got, want)
	}
	if len(got) > 0 {
		t.Errorf("kept too: %v", got)
	}
	AtText(InMap(m, &e), "none", &e, 5)
	if ps := counters.Watched(); len(ps) > 3 {
		t.Errorf("kept unwatched: %v", ps)
	}
}
