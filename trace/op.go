package trace

// An Op is the kind of an operation. The zero Op means "not known" and matches any operation.
type Op uint8

const (
	OpNone Op = iota

	// Goroutines. Example printed forms: "go main/1", "start", "end", "gosched".
	OpGo      // go statement; Obj is none, Arg the new goroutine
	OpStart   // first step of a goroutine
	OpEnd     // last event of a goroutine
	OpGosched // runtime.Gosched
	OpResume  // continues after a partner completed the pending operation

	// Channels. Example: "send ch", "recv ch", "close ch", "len ch".
	OpSend
	OpRecv
	OpClose
	OpLen
	OpSelect // Arg is the chosen case (-1 for default); the send or receive is the next event
	OpArrive // starts to wait at a channel, RWMutex or Cond; Arg is the Op that waits

	// Locks. Example: "lock mu".
	OpLock
	OpUnlock
	OpTryLock // Arg 1 when it took the lock
	OpRLock
	OpRUnlock
	OpTryRLock

	// Cond. Example: "wait c", "signal c".
	OpCondWait // registered as a waiter (the lock is released by an event of its own)
	OpCondWake // woken
	OpSignal
	OpBroadcast

	// WaitGroup. Example: "add wg 1". Done is add -1.
	OpWGAdd
	OpWGWait

	// Once.
	OpOnce     // Do was called; Arg 1 when this call runs the function
	OpOnceDone // the function returned

	// sync.Map and sync.Pool: one event per call.
	OpMapLoad
	OpMapStore // also of files; Arg is AllFiles on the object that stands for all files
	OpMapRange
	OpPoolGet
	OpPoolPut

	// Atomics. A failed CompareAndSwap is an OpAtomicLoad.
	OpAtomicLoad
	OpAtomicStore
	OpAtomicRMW // Add, Swap, And, Or, successful CompareAndSwap

	// Plain memory, where visible.
	OpRead
	OpWrite

	// Time. OpTimerFire is an event of the goroutine "timers".
	OpSleep
	OpTimerStart
	OpTimerStop
	OpTimerFire
	OpNow

	// A choice from a few values, not of a goroutine. Arg is the value drawn.
	OpChoose

	// What happens outside control within a step, e.g. a pipe's read: a native call that orders.
	OpNative

	// Waiting. OpAwait ends the wait of a polling loop: what it read was written; Arg is how often
	// the iteration read it. OpIdle: all other goroutines were blocked (Wait of testing/synctest);
	// Arg is how many goroutines had not ended.
	OpAwait
	OpIdle

	// Objects of models that are not Go's own.
	OpModel   // on an ObjModel, always enabled; all operations on one object are ordered
	OpAcquire // P of a semaphore; Arg is the count after it
	OpRelease // V; Arg is the count after it

	// A pending CompareAndSwap; its event is an OpAtomicRMW or an OpAtomicLoad.
	OpAtomicCAS

	// A branch whose condition depends on a read (data flow only). Arg is the outcome: 0 or 1 for a
	// condition, the index of the clause for a switch, the number of iterations for a range.
	OpBranch

	// Sockets that carry packets. Arg of the first three is 1, 0 (the socket is closed) or
	// SocketNative.
	OpPacketSend // a packet arrives at the socket; or PacketDropped: the buffer has no room
	OpPacketRecv // one is read; or SocketExpired, SocketRefused
	OpSocketUse  // the owner is about to send from the socket; or SocketRefused
	OpSocketClose
	OpSocketExpire // the read deadline has passed
	OpSocketRenew  // there is another deadline
	OpSocketRefuse // the peer of a connected socket is not open: the owner's next operation says so
	OpSocketGive   // the kernel serves the socket from now on: something outside control uses it

	OpMax
)

var opNames = [OpMax]string{
	"any", "go", "start", "end", "gosched", "resume",
	"send", "recv", "close", "len", "select", "arrive",
	"lock", "unlock", "trylock", "rlock", "runlock", "tryrlock",
	"cond-wait", "cond-wake", "signal", "broadcast",
	"wg-add", "wg-wait", "once", "once-done",
	"map-load", "map-store", "map-range", "pool-get", "pool-put",
	"atomic-load", "atomic-store", "atomic-rmw", "read", "write",
	"sleep", "timer-start", "timer-stop", "timer-fire", "now", "choose", "native",
	"await", "idle", "model", "acquire", "release", "atomic-cas", "branch",
	"packet-send", "packet-recv", "socket-use", "socket-close", "socket-expire", "socket-renew",
	"socket-refuse", "socket-give",
}

// String returns the word for op in traces and clips, such as "lock".
func (op Op) String() string {
	if op < OpMax {
		return opNames[op]
	}
	return "op?"
}

// ParseOp returns the Op whose word is s; ok is false if there is none.
func ParseOp(s string) (op Op, ok bool) {
	for i, n := range opNames {
		if n == s {
			return Op(i), true
		}
	}
	return OpNone, false
}

// AllFiles is the Arg of an operation on files that no single file name covers.
const AllFiles = 1

// Outcomes of operations on sockets that carry packets.
const (
	PacketDropped = -1
	SocketNative  = -2
	SocketExpired = -3
	SocketRefused = -4
)
