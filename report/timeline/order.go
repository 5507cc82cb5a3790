package timeline

// An Arrow says that one event happens before another by synchronisation: one
// that the Go memory model orders, of two goroutines, directly.
type Arrow struct {
	From, To int    // indices of events
	Why      string // "starts", see the table in Order
}

// Order returns the arrows between the events of an execution, in the order of
// their ends. With the order within each goroutine they give its happens-before.
// Rules: The Go Memory Model, version of June 6, 2022, section "Synchronization";
// for atomics "the effect of atomic operation A is observed by atomic operation B".
//
// Left out: what events do not tell. An access to a sync.Map or a file is
// ordered with others by its key, which is not known here.
func Order(objects []Object, events []Event) []Arrow {
	o := order{events: events, objects: make([]objectState, len(objects)+1), caps: make([]int, len(objects)+1), begun: map[int]bool{}, goes: map[int]int{}}
	for i, x := range objects {
		o.caps[i+1] = x.Cap
	}
	for i := range events {
		o.event(i, &events[i])
	}
	return o.arrows
}

type order struct {
	events  []Event
	arrows  []Arrow
	objects []objectState
	caps    []int        // of channels
	goes    map[int]int  // goroutine -> event that started it
	begun   map[int]bool // goroutines that have an event
}

// An objectState is what was done to an object so far: indices of events + 1.
type objectState struct {
	released int   // unlock, close, Once's end, the last write of an atomic
	read     []int // RUnlocks since the last Lock
	done     []int // Done of this round of a WaitGroup
	count    int64 // of a WaitGroup
	puts     []int // of a pool, that are in it
	sent     int   // how many messages went into a channel's buffer
	received []int // and came out of it
	changed  int   // the last operation of a model, or release of a semaphore
}

func (o *order) add(from, to int, why string) {
	if from > 0 && o.events[from-1].G != o.events[to].G {
		o.arrows = append(o.arrows, Arrow{from - 1, to, why})
	}
}

func (o *order) event(i int, e *Event) {
	if !o.begun[e.G] {
		o.begun[e.G] = true
		o.add(o.goes[e.G], i, "starts")
	}
	if e.Child > 0 {
		o.goes[e.Child-1] = i + 1
	}
	if e.Object < 1 || e.Object >= len(o.objects) {
		return
	}
	x := &o.objects[e.Object]
	switch e.Op {
	case "lock", "unlock", "trylock", "rlock", "runlock", "tryrlock":
		o.lock(i, e, x)
	case "send", "recv", "close":
		o.channel(i, e, x)
	case "wg-add", "wg-wait", "once", "once-done", "cond-wake":
		o.wait(i, e, x)
	case "atomic-load", "atomic-store", "atomic-rmw":
		if e.Op != "atomic-store" {
			o.add(x.released, i, "is seen by")
		}
		if e.Op != "atomic-load" {
			x.released = i + 1
		}
	case "pool-put":
		x.puts = append(x.puts, i+1)
	case "pool-get":
		if n := len(x.puts); n > 0 {
			o.add(x.puts[n-1], i, "is taken by")
			x.puts = x.puts[:n-1]
		}
	case "model", "acquire", "release":
		o.model(i, e, x)
	case "timer-start":
		x.released = i + 1
	case "timer-fire":
		o.add(x.released, i, "fires")
	}
}

func (o *order) lock(i int, e *Event, x *objectState) {
	switch e.Op {
	case "unlock":
		x.released, x.read = i+1, nil
	case "runlock":
		x.read = append(x.read, i+1)
	case "trylock", "tryrlock":
		if e.Arg == 0 {
			return
		}
		fallthrough
	default:
		o.add(x.released, i, "lets lock")
		if e.Op == "lock" || e.Op == "trylock" {
			for _, r := range x.read {
				o.add(r, i, "lets lock")
			}
			x.read = nil
		}
	}
}

// channel orders by partners where they are known. The two of an unbuffered
// channel happen at one moment, whichever event comes first: that is one arrow.
func (o *order) channel(i int, e *Event, x *objectState) {
	buffer := o.caps[e.Object]
	if e.Op == "send" && buffer > 0 {
		if k := x.sent - buffer; k >= 0 && k < len(x.received) {
			o.add(x.received[k], i, "makes room for")
		}
		x.sent++
	}
	if e.Op == "recv" && e.Arg != 0 && buffer > 0 {
		x.received = append(x.received, i+1)
	}
	switch {
	case e.Op == "close":
		x.released = i + 1
	case e.Partner > 0 && e.Partner-1 < i:
		send, recv := e.Partner, i
		if e.Op == "send" {
			send, recv = i+1, e.Partner-1
		}
		o.add(send, recv, "is received by")
	case e.Op == "recv" && e.Arg == 0:
		o.add(x.released, i, "is seen by")
	}
}

func (o *order) wait(i int, e *Event, x *objectState) {
	switch e.Op {
	case "wg-add":
		if e.Arg < 0 {
			x.done = append(x.done, i+1)
		} else if x.count == 0 {
			x.done = nil
		}
		x.count += e.Arg
	case "wg-wait":
		for _, d := range x.done {
			o.add(d, i, "lets Wait return")
		}
	case "once-done":
		x.released = i + 1
	case "once":
		o.add(x.released, i, "is done for")
	case "cond-wake":
		o.add(e.Partner, i, "wakes")
	}
}

func (o *order) model(i int, e *Event, x *objectState) {
	if e.Op != "release" {
		o.add(x.changed, i, "lets go on")
	}
	if e.Op != "acquire" {
		x.changed = i + 1
	}
}
