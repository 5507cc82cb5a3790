package machine

import (
	"errors"
	"testing"
	"time"

	"heddle/internal/progen"
)

func TestDist(t *testing.T) {
	total, many := 0, 0
	start := time.Now()
	hist := map[int]int{}
	ops := map[progen.Op]int{}
	pan, races, lefts := 0, 0, 0
	for seed := range uint64(300) {
		p := progen.Generate(seed, progen.Default)
		m := New(p)
		o, n, err := m.Exhaust(false, 5000, nil)
		total += n
		if errors.Is(err, ErrTooMany) {
			many++
		} else if err != nil {
			t.Fatal(seed, err)
		}
		p.Each(func(s *progen.Stmt) { ops[s.Op]++ })
		if len(o.Panics) > 0 {
			pan++
		}
		if len(o.Races) > 0 {
			races++
		}
		k := 0
		for x := n; x > 1; x /= 4 {
			k++
		}
		hist[k]++
		lefts += len(o.Ends)
	}
	t.Log(total, many, hist, time.Since(start), "panics", pan, "races", races, "ends", lefts)
	t.Log(ops)
}
