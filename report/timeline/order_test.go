package timeline

import (
	"fmt"
	"strings"
	"testing"
)

// ev returns an event of goroutine g on an object; 0 is none.
func ev(g int, op string, object int) Event { return Event{G: g, Op: op, Object: object} }

func arg(e Event, n int64) Event { e.Arg = n; return e }

func with(e Event, partner int) Event { e.Partner = partner + 1; return e }

func starts(e Event, g int) Event { e.Child = g + 1; return e }

// For each rule of the memory model: the events that are ordered and those that are not.
func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kind   string
		caps   []int // capacities of the objects
		events []Event
		want   string // "from>to ..." by index
	}{
		{"go statement", "", nil,
			[]Event{starts(ev(0, "go", 0), 1), ev(0, "write", 0), ev(1, "start", 0), ev(1, "end", 0)}, "0>2"},
		{"mutex", "mutex", []int{0},
			[]Event{ev(0, "lock", 1), ev(0, "unlock", 1), ev(1, "lock", 1), ev(1, "unlock", 1),
				ev(2, "lock", 1)}, "1>2 3>4"},
		{"two mutexes", "mutex", []int{0, 0},
			[]Event{ev(0, "lock", 1), ev(0, "unlock", 1), ev(1, "lock", 2), ev(1, "unlock", 2)}, ""},
		{"own lock again", "mutex", []int{0}, []Event{ev(0, "lock", 1), ev(0, "unlock", 1), ev(0, "lock", 1)},
			""},
		{"TryLock that fails", "mutex", []int{0},
			[]Event{ev(0, "lock", 1), ev(0, "unlock", 1), arg(ev(1, "trylock", 1), 0),
				arg(ev(2, "trylock", 1), 1)}, "1>3"},
		{"readers", "rwmutex", []int{0},
			[]Event{ev(0, "unlock", 1), ev(1, "rlock", 1), ev(2, "rlock", 1), ev(1, "runlock", 1),
				ev(2, "runlock", 1), ev(0, "lock", 1), ev(0, "unlock", 1), ev(3, "rlock", 1)},
			"0>1 0>2 3>5 4>5 6>7"},
		{"unbuffered", "chan", []int{0}, []Event{ev(0, "send", 1), with(arg(ev(1, "recv", 1), 1), 0)}, "0>1"},
		{"unbuffered, the receiver came second to the trace", "chan", []int{0},
			[]Event{arg(ev(1, "recv", 1), 1), with(ev(0, "send", 1), 0)}, "1>0"},
		{"buffered", "chan", []int{1}, []Event{
			ev(0, "send", 1), with(arg(ev(1, "recv", 1), 1), 0), ev(0, "send", 1),
			with(arg(ev(1, "recv", 1), 1), 2), ev(2, "send", 1),
		}, "0>1 1>2 2>3 3>4"},
		{"closed", "chan", []int{0}, []Event{ev(0, "close", 1), arg(ev(1, "recv", 1), 0)}, "0>1"},
		{"WaitGroup", "waitgroup", []int{0},
			[]Event{arg(ev(0, "wg-add", 1), 2), arg(ev(1, "wg-add", 1), -1), arg(ev(2, "wg-add", 1), -1),
				ev(0, "wg-wait", 1), ev(3, "wg-wait", 1)}, "1>3 2>3 1>4 2>4"},
		{"WaitGroup again", "waitgroup", []int{0}, []Event{
			arg(ev(0, "wg-add", 1), 1), arg(ev(1, "wg-add", 1), -1), arg(ev(0, "wg-add", 1), 1),
			arg(ev(2, "wg-add", 1), -1), ev(0, "wg-wait", 1),
		}, "1>4 3>4"},
		{"Once", "once", []int{0},
			[]Event{arg(ev(0, "once", 1), 1), ev(0, "once-done", 1), arg(ev(1, "once", 1), 0)}, "1>2"},
		{"Cond", "cond", []int{0},
			[]Event{ev(0, "cond-wait", 1), ev(1, "signal", 1), with(ev(0, "cond-wake", 1), 1)}, "1>2"},
		{"atomics", "atomic", []int{0},
			[]Event{ev(0, "atomic-load", 1), ev(1, "atomic-store", 1), ev(0, "atomic-load", 1),
				ev(2, "atomic-store", 1), ev(0, "atomic-rmw", 1), ev(1, "atomic-load", 1)},
			"1>2 3>4 4>5"},
		{"plain memory", "memory", []int{0}, []Event{ev(0, "write", 1), ev(1, "read", 1)}, ""},
		{"pool", "sync.Pool", []int{0},
			[]Event{ev(0, "pool-put", 1), ev(1, "pool-put", 1), arg(ev(2, "pool-get", 1), 2),
				arg(ev(2, "pool-get", 1), 1), ev(2, "pool-get", 1)}, "1>2 0>3"},
		{"semaphore", "semaphore", []int{0},
			[]Event{ev(0, "acquire", 1), ev(0, "release", 1), ev(1, "acquire", 1)}, "1>2"},
		{"timer", "timer", []int{0}, []Event{ev(0, "timer-start", 1), ev(1, "timer-fire", 1)}, "0>1"},
	} {
		objects := make([]Object, len(tt.caps))
		for i, c := range tt.caps {
			objects[i].Kind, objects[i].Cap = tt.kind, c
		}
		var got []string
		for _, a := range Order(objects, tt.events) {
			got = append(got, fmt.Sprintf("%d>%d", a.From, a.To))
			if a.Why == "" {
				t.Errorf("%s: no word for %v", tt.name, a)
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, s, tt.want)
		}
	}
}
