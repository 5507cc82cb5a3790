package model

import "heddle/trace"

const (
	values Counter = iota // in the buffer
	closed
)

// NotReady is the outcome of a case of a select that took its default.
const NotReady = -2

// channel is Go's channel. The state decides every operation that needs no partner: on a buffered
// channel with room or values, or on a closed channel. A communication over an unbuffered channel
// is one step of both sides (Rule.Meets); the state does not say which goroutines meet.
//
// The k-th send happens before the k-th receive completes, and the k-th receive before the send
// k+C over a channel of capacity C (Go memory model). A close happens before a receive that returns
// because of it. A send is ordered with its own receive alone, so sends commute with receives.
var channel = &Primitive{
	Kind: trace.ObjChan, Counters: []string{"values", "closed"},
	Initial: func(o *Object) (s State) {
		n, shut := trace.OfChanState(o.Init)
		s[values] = int32(n)
		if shut {
			s[closed] = 1
		}
		return s
	},
	Blocking: []trace.Op{trace.OpSend, trace.OpRecv},
	Rules: []Rule{
		{
			Op:      trace.OpSend,
			Arg:     0,
			When:    Buffered,
			Needs:   []Need{is(closed, 0), room(values)},
			Effects: []Effect{add(values, 1)},
			Mode:    Send,
			Order:   Acquires | Releases | ByPartner,
		},
		{Op: trace.OpSend, Arg: 0, When: Unbuffered, Needs: []Need{is(closed, 0)}, Meets: true,
			Mode: Meet, Ordered: Serve, Order: Acquires | Releases | ByPartner},
		{Op: trace.OpSend, Arg: -1, Needs: []Need{is(closed, 1)}, Mode: SendClosed, Panics: true},
		{
			Op:      trace.OpRecv,
			Arg:     1,
			When:    Buffered,
			Needs:   []Need{least(values, 1)},
			Effects: []Effect{add(values, -1)},
			Mode:    Recv,
			Order:   Acquires | Releases | ByPartner,
		},
		{Op: trace.OpRecv, Arg: 1, When: Unbuffered, Needs: []Need{is(closed, 0)}, Meets: true,
			Mode: Meet, Ordered: Serve, Order: Acquires | Releases | ByPartner},
		{Op: trace.OpRecv, Arg: 0, Needs: []Need{is(values, 0), is(closed, 1)},
			Mode: RecvClosed, Order: Acquires},
		{Op: trace.OpSend, Arg: NotReady, Polls: true, Mode: Poll},
		{Op: trace.OpRecv, Arg: NotReady, Polls: true, Mode: Poll},
		{Op: trace.OpClose, Arg: 0, Needs: []Need{is(closed, 0)}, Effects: []Effect{set(closed, 1)},
			Mode: Close, Order: Releases},
		{Op: trace.OpClose, Arg: -1, Needs: []Need{is(closed, 1)}, Mode: Close, Panics: true},
		{Op: trace.OpLen, Outcome: Given, Sign: anySign, Mode: Length},
		{Op: trace.OpArrive, Outcome: Given, Sign: anySign, Mode: Arrived},
		{Op: trace.OpAwait, Outcome: Given, Sign: anySign, Mode: Poll, Order: Acquires},
		{Op: trace.OpTimerStop, Outcome: Given, Sign: anySign, Effects: []Effect{set(values, 0)},
			Mode: Write},
		{Op: trace.OpTimerStart, Outcome: Given, Sign: anySign, Effects: []Effect{set(values, 0)},
			Mode: Write, Order: Releases},
	},
}

// Channel returns how many values a channel in state s holds, and whether it is closed.
func Channel(s State) (n int, shut bool) { return int(s[values]), s[closed] != 0 }

// Alone returns the rule by which one side of a channel in state s is enabled without a partner;
// nil if it is not.
func Alone(o *Object, s State, send bool) *Rule {
	if send {
		return channel.alone(o, s, trace.OpSend)
	}
	return channel.alone(o, s, trace.OpRecv)
}
