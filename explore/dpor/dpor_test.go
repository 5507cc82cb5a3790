package dpor

import (
	"math/rand"
	"os"
	"strconv"
	"testing"

	"heddle/trace"
)

// agree compares dpor with brute force on random programs: the same classes of
// executions, each once. HEDDLE_DPOR_SEEDS=1000 takes more of them, and larger ones.
func agree(t *testing.T, kinds ...string) {
	t.Helper()
	seeds, limit := 60, 1500
	if n, err := strconv.Atoi(os.Getenv("HEDDLE_DPOR_SEEDS")); err == nil {
		seeds, limit = n, 20000
	}
	done, total, executed := 0, 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		p := random(r, kinds, 2+r.Intn(3), 3)
		var w *world
		show := func(tr *trace.Trace) string { return w.outcome(tr) }
		s := new(Strategy)
		got, res, err := explored(newExecutor(p.main(&w)), s, show, limit)
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
		if !res.Complete && res.Reason.None() {
			continue // too large
		}
		want, n, err := brute(newExecutor(p.main(&w)), s.tab, show, limit)
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
		if want == nil {
			continue
		}
		if !res.Complete {
			t.Fatalf("seed %d: not complete: %s\n%v", seed, res.Reason, p)
		}
		for k, out := range want {
			if _, ok := got[k]; !ok {
				t.Fatalf("seed %d: %d classes instead of %d; missing: %s\n%v", seed, len(got), len(want), out,
					p)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d classes instead of %d\n%v", seed, len(got), len(want), p)
		}
		done++
		total += n
		executed += len(got)
	}
	t.Logf("%d programs, %d executions instead of %d", done, executed, total)
}

func TestMemory(t *testing.T) {
	agree(t, "read", "write", "incr", "load", "store", "swap", "cas", "cas")
}

func TestRWMutexes(t *testing.T) {
	agree(t, "rw", "rw", "halfrw", "trywlock", "tryrlock", "read", "mutex")
}

func TestRUnlockOfUnlocked(t *testing.T) {
	agree(t, "rw", "runlock", "tryrlock", "write")
}

func TestWaitGroups(t *testing.T) {
	agree(t, "join", "add", "read", "mutex")
}

func TestOnces(t *testing.T) {
	agree(t, "once", "read", "write")
}

func TestConds(t *testing.T) {
	agree(t, "condwait", "signal", "broadcast", "mutex")
}

func TestDraws(t *testing.T) {
	agree(t, "draw", "write", "mutex")
}

func TestChannels(t *testing.T) {
	agree(t, "send", "recv", "send", "recv", "close", "len")
}

func TestSelects(t *testing.T) {
	agree(t, "send", "recv", "select", "select", "close")
}

func TestPolls(t *testing.T) {
	agree(t, "send", "recv", "poll", "select")
}

func TestSleeps(t *testing.T) {
	agree(t, "sleep", "send", "recv", "mutex")
}

func TestMutexes(t *testing.T) {
	agree(t, "mutex", "two", "halflock", "trylock", "read")
}

func TestEverything(t *testing.T) {
	agree(t, "read", "write", "incr", "load", "store", "swap", "cas", "mutex", "two", "trylock", "rw",
		"halfrw", "join", "once",
		"condwait", "signal", "broadcast", "send", "recv", "close", "len", "select", "poll", "draw", "sleep")
}
