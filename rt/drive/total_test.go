package drive

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"heddle/rt/wire"
)

// TestAllotted: a test gets its part and its share of what earlier ones did not need, never more
// than the most, never beyond the end; one for which there is nothing says so.
func TestAllotted(t *testing.T) {
	const s = int64(time.Second)
	var out bytes.Buffer
	d := &driver{out: json.NewEncoder(&out), cfg: wire.Config{Most: 9 * s,
		Until:   time.Now().Add(time.Hour).UnixNano(),
		Budgets: map[string]int64{"A": 4 * s, "B": 2 * s, "C": 8 * s, "D": 0}}}
	for _, c := range []struct {
		test string
		left int
		want int64
		took time.Duration
	}{
		{"A", 4, 4 * s, time.Second},      // leaves 3 s
		{"B", 3, 3 * s, 5 * time.Second},  // 2 s and a third of 3 s; takes all that is spare
		{"C", 2, 8 * s, 2 * time.Second},  // leaves 6 s
		{"C", 1, 9 * s, 14 * time.Second}, // the most; nothing is left
	} {
		cfg, used, ok := d.allotted(c.test, c.left)
		if !ok || cfg.Budget != c.want {
			t.Errorf("%s: %v %v, want %v", c.test, time.Duration(cfg.Budget), ok, time.Duration(c.want))
			continue
		}
		used(c.took)
	}
	if _, _, ok := d.allotted("D", 1); ok || !strings.Contains(out.String(), `"Code":"no-time"`) ||
		strings.Count(out.String(), `"Test":"D"`) != 2 {
		t.Errorf("without time: %v %s", ok, out.String())
	}
	if cfg, _, ok := d.allotted("Unnamed", 4000); !ok || cfg.Budget > s || cfg.Budget < s/2 {
		t.Errorf("a test that is not in the source: %v %v", time.Duration(cfg.Budget), ok)
	}
	d.cfg.Until = time.Now().UnixNano() - 1
	if _, _, ok := d.allotted("A", 4); ok {
		t.Error("a test begins after the end")
	}
	d.cfg.Budgets, d.cfg.Budget = nil, 5*s
	if cfg, _, ok := d.allotted("D", 1); !ok || cfg.Budget != 5*s {
		t.Error("without -total")
	}
}
