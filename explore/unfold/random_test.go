package unfold

import (
	"context"
	"errors"
	"flag"
	"math/rand"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"testing"

	"heddle/explore/dpor"
	"heddle/explore/unfold/net"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

var (
	seeds = flag.Int("seeds", 1000, "random programs to look at")
	from  = flag.Uint64("from", 0, "the first of them")

	verbose = flag.Bool("why", false, "print the programs that the net has no construction for")
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(-1) // as in the program under test
	os.Exit(m.Run())
}

// locals explores m's program and returns the local states reached, and the number of executions.
// With ahead > 0 it asks for as many schedules in advance, and executes them in their order.
func locals(m *machine.Machine, s *Strategy, ahead int) (*machine.Outcomes, int, error) {
	o := machine.NewOutcomes()
	o.Watch(m)
	n := 0
	var foreseen []trace.Schedule
	for sc := s.Next(); sc != nil; sc = s.Next() {
		if len(sc.Steps) == 0 {
			o = machine.NewOutcomes()
			o.Watch(m)
			n, foreseen = 0, nil
		}
		is := func(f trace.Schedule) bool { return reflect.DeepEqual(f, *sc) }
		if i := slices.IndexFunc(foreseen, is); i >= 0 {
			foreseen = foreseen[i+1:]
		} else if len(s.foreseen) > 0 {
			return o, n, errors.New("a schedule came that was not foreseen, before one that was")
		}
		for _, f := range s.Foresee(ahead) {
			foreseen = append(foreseen, *f)
		}
		t, err := m.Execute(context.Background(), sc)
		if err != nil {
			return o, n, err
		}
		if m.Restart() {
			return o, n, errPolled
		}
		o.Add(m)
		s.Done(t)
		n++
	}
	if len(s.promised) > 0 {
		return o, n, errors.New("an execution has not shown what it was to show")
	}
	if r := s.Result(); !r.Complete {
		return o, n, error(r.Reason)
	}
	return o, n, nil
}

var errPolled = errors.New("polled")

// The local states are those of exhaustive search without reduction, in no more executions than
// optimal DPOR takes. The net is the same for every order of targets.
func TestRandom(t *testing.T) { random(t, progen.Default) }

// Programs of channels and selects only, every other one with timers.
func TestRandomSelects(t *testing.T) {
	size := progen.Default
	size.Selects = true
	random(t, size)
}

// Loops that poll.
func TestRandomSpin(t *testing.T) {
	size := progen.Default
	size.Spin, size.Slow = true, true
	random(t, size)
}

// Timers with the same deadline, and Gosched.
func TestRandomLoose(t *testing.T) {
	size := progen.Default
	size.Loose = true
	random(t, size)
}

// Channels, mutexes, RWMutexes and WaitGroups that are older than the test, in other states than
// new ones.
func TestRandomOlder(t *testing.T) {
	size := progen.Default
	size.Older = true
	random(t, size)
}

// Workers that main waits for with a WaitGroup.
func TestRandomJoins(t *testing.T) {
	size := progen.Default
	size.Joins = true
	if merged := random(t, size); merged == 0 {
		t.Error("no program has histories that are merged")
	}
}

// random returns the number of programs in which histories are merged.
func random(t *testing.T, size progen.Size) (merged int) {
	if testing.Short() {
		*seeds = min(*seeds, 100)
	}
	gave, sum, optimal, beside, programs := map[string]int{}, 0, 0, 0, 0
	for seed := *from; seed < *from+uint64(*seeds) && !t.Failed(); seed++ {
		p := progen.Generate(seed, size)
		m := machine.New(p)
		if _, _, err := m.Exhaust(true, 1000, nil); err != nil {
			continue
		}
		want := machine.NewOutcomes()
		want.Watch(m)
		all, _, err := m.Exhaust(true, 1000, nil)
		if err != nil {
			t.Fatal(err)
		}
		programs++
		d := dpor.New(dpor.Options{Retries: true})
		most := 0
		m.Local = nil
		for sc := d.Next(); sc != nil; sc = d.Next() {
			tr, _ := m.Execute(context.Background(), sc)
			d.Done(tr)
			most++
		}
		most = d.Result().Executions
		events := 0
		for order := range 3 {
			s, ahead := New(Options{}), 0
			switch order {
			case 2:
				ahead = 5
			case 1:
				s = New(Options{Choose: rand.New(rand.NewSource(int64(seed))).Intn})
			}
			got, n, err := locals(m, s, ahead)
			m.Local = nil
			switch {
			case err == errPolled:
				continue
			case err != nil:
				t.Errorf("seed %d: %v (%s)\n%s", seed, err, s.Why, progen.Source(p))
				continue
			}
			same(t, "local state", want.Locals, got.Locals)
			same(t, "panic", all.Panics, got.Panics)
			same(t, "goroutine", all.Left, got.Left)
			if order == 0 && merges(s) {
				merged++
			}
			if s.Why != "" {
				gave[s.Why]++
				if n := s.Result().Executions; n != most {
					t.Errorf("seed %d: %d executions where dpor took over, dpor alone takes %d (%s)\n%s",
						seed, n, most, s.Why, progen.Source(p))
				}
				if *verbose {
					t.Logf("seed %d: %s\n%s", seed, s.Why, progen.Source(p))
				}
				continue
			}
			for k := range got.Ends {
				if all.Ends[k] == 0 {
					t.Errorf("an end that there is not: %s", k)
				}
			}
			if s.Surprise > 0 {
				t.Errorf("%d events were not foreseen", s.Surprise)
			}
			if n > most && ahead == 0 {
				t.Errorf("%d executions, dpor takes %d", n, most)
			}
			if order > 0 && s.Net().Events() != events {
				t.Errorf("%d events, %d in another order", s.Net().Events(), events)
			}
			events = s.Net().Events()
			if ahead > 0 {
				beside += n
			} else {
				sum += n
				optimal += most
			}
			if t.Failed() {
				t.Fatalf("seed %d:\n%s", seed, progen.Source(p))
			}
		}
	}
	t.Logf("%d programs, twice, %d executions beside dpor's %d; with 5 foreseen, once, %d; merged in %d; without a net: %v", programs, sum, optimal, beside, merged, gave)
	return merged
}

// merges reports whether the net of s has an event that follows a merged condition with several
// members.
func merges(s *Strategy) bool {
	for e := range net.Event(s.net.Len()) {
		for _, a := range s.net.Arcs(e) {
			if a.Use() == net.Follows && len(s.net.Members(a.Cond())) > 1 {
				return true
			}
		}
	}
	return false
}

func same(t *testing.T, what string, want, got map[string]int) {
	t.Helper()
	for k := range want {
		if got[k] == 0 {
			t.Errorf("%s %s is missing", what, k)
		}
	}
	for k := range got {
		if want[k] == 0 {
			t.Errorf("%s %s is none", what, k)
		}
	}
}

// Where accesses to variables are no steps, the races that all interleavings show are found.
func TestRandomRaces(t *testing.T) {
	if testing.Short() {
		*seeds = min(*seeds, 100)
	}
	list := []uint64{
		56776,  // a race that no execution shows that was made for a local state
		311508, // a goroutine signals a Cond again before the one that it has woken continues
	}
	for i := range uint64(*seeds) {
		list = append(list, *from+i)
	}
	racy, tries := 0, 0
	for _, seed := range list {
		p := progen.Generate(seed, progen.Size{Goroutines: 4, Statements: 14})
		if p.Vars == 0 {
			continue
		}
		m := machine.New(p)
		m.Sync = true
		d := dpor.New(dpor.Options{Retries: true})
		want, ok := racesBy(m, d)
		if !ok || !d.Result().Complete {
			continue
		}
		s := New(Options{})
		got, ok := racesBy(m, s)
		if s.Why != "" || !ok {
			continue
		}
		// a race is executed as such, whether it was seen or not
		if n, most := s.Result().Executions, d.Result().Executions; n > most && len(want) == 0 {
			t.Errorf("%d executions, dpor takes %d", n, most)
		}
		for v := range want { // got may have others, of values that only a race lets come about
			if got[v] == 0 {
				t.Errorf("race on %s is missing", v)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, progen.Source(p))
		}
		if len(want) > 0 {
			racy++
		}
		for _, k := range s.races.made {
			tries += k
		}
	}
	t.Logf("%d programs with races; %d executions made for one", racy, tries)
	if *seeds >= 1000 && (racy == 0 || tries == 0) {
		t.Error("nothing was looked at")
	}
}

// racesBy returns the variables on which s shows races; ok is false if it takes many executions, or
// a goroutine polls.
func racesBy(m *machine.Machine, s interface {
	Next() *trace.Schedule
	Done(*trace.Trace)
}) (races map[string]int, ok bool) {
	const many = 2000
	o, n := machine.NewOutcomes(), 0
	for sc := s.Next(); sc != nil; sc = s.Next() {
		t, err := m.Execute(context.Background(), sc)
		if n++; err != nil || m.Restart() || n > many {
			return nil, false
		}
		o.Add(m)
		s.Done(t)
	}
	return o.Races, true
}
