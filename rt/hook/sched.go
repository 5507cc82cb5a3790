package hook

import "unsafe"

// The function variables below are set by rt/sched before the first
// execution. They may be called only where Here() is true (the memory hooks
// test that themselves). pc is the return address of the operation's call
// (CallerPC in the function that stands for the operation, which must not be inlined), s an
// instrumented site.
//
// Functions that return a bool "native" tell the caller whether to perform the
// native operation too, without blocking; false while the execution's
// remaining goroutines are unwound (their deferred calls run with everything
// inert). A function that would block for ever in an execution that is over
// does not return: it calls runtime.Goexit.

// Act tells the caller of a channel hook what to do to the native channel.
type Act uint8

const (
	ActDone   Act = iota // nothing: a partner moved the value
	ActPeer              // move the value from (receive) or to (send) the waiting partner's slot
	ActBuffer            // do the native operation: it will not block
	// the same, and only the goroutines under test can be using the channel now
	ActOwn
	ActRefill // receive natively, then send the value in the partner's slot natively
	ActNative // do the native operation: it will panic (closed)
	ActClosed // receive: the zero value, false
)

// FileUse says what is done with a file or folder.
type FileUse uint8

const (
	FileRead   FileUse = iota // looked at by its name
	FileWrite                 // made, changed or removed by its name
	FileAppend                // opened to be written at its end, and made if it is not there
	FileMove                  // renamed
	FileLink                  // made as another name of one
	OpenRead                  // an open file is read
	OpenWrite                 // an open file is changed
	OpenList                  // the content of an open folder is listed
)

// Writes reports whether what others see may change by it, or the other way round.
func (u FileUse) Writes() bool { return u != FileRead && u != OpenRead }

// Open reports whether it is about an open file, whose name may be another by now.
func (u FileUse) Open() bool { return u >= OpenRead }

// What the scheduler does at an operation; it sets these variables. pc and s are where the program
// performs the operation.
var (
	// Memory. n is the size in bytes.
	Read  func(p unsafe.Pointer, n uintptr, s Site)
	Write func(p unsafe.Pointer, n uintptr, s Site)
	// NewRead and NewWrite are the same for an access of the goroutine under test that runs, which
	// Recents do not have, to memory that is not on its stack. It has taken 1 from Left, which is
	// not used up.
	NewRead  func(p unsafe.Pointer, n uintptr, s Site)
	NewWrite func(p unsafe.Pointer, n uintptr, s Site)
	// Update is Read, or Write, of an integer that x op= by changes. op: see U.
	Update func(p unsafe.Pointer, n uintptr, s Site, op byte, by uint64, write bool)
	// MapEntry is Read, or Write, of a map at an entry whose key is not known yet; use is EntryRead
	// or one of the others. MapKey says a
	// hash of the key of the one at s; 0: its key is not told.
	MapEntry func(p unsafe.Pointer, s Site, use uint8)
	MapKey   func(hash uint64, s Site)
	// MapLength is Read of a map whose length is looked at, to be compared with the length that
	// since says; 0: with a later one. It returns a number for it; 0: it has none.
	MapLength func(p unsafe.Pointer, s Site, since int) int
	// Alloc says that p, n bytes, was just made. kind: see AllocVar and the others.
	Alloc func(p unsafe.Pointer, n uintptr, kind uint8, s Site)
	// Note records v as the value that the operation just done moved. Called only when Rec.
	Note func(v any)

	// Goroutines.
	GoStmt func(f func(), s Site)
	Yield  func(pc uintptr)
	// LoopHead is Head, of a function whose frame is so deep on the stack, in bytes. It returns t,
	// with a number for the loop. If t is 0 the loop begins.
	LoopHead func(t Turns, values uint64, depth uintptr) Turns
	// LoopStart says that an iteration of a loop that may poll begins. again: it is not the first
	// one.
	LoopStart func(s Site, again bool)
	// LoopLeft says that a loop that may poll is left.
	LoopLeft func(s Site)

	// Asks says that such a loop calls a function value. path is that of its package.
	Asks func(fn unsafe.Pointer, path string)

	// Spoils says that the iterations under way change something.
	Spoils func()
	NumGo  func(pc uintptr) int
	// Foreign reports whether something outside control takes part, as far as is known
	// by now.
	Foreign func() bool
	Stacks  func(buf []byte, all bool) int // runtime.Stack
	// CallersBelow puts the frames that plain Go would have in the place of heddle's own; pc holds
	// n frames.
	CallersBelow func(pc []uintptr, n int) int

	// wait until every other goroutine is blocked; time does not advance
	Idle func(pc uintptr)
	// Bubble says that the running goroutine begins a bubble of testing/synctest, or ends it.
	// Bubbled returns how many other goroutines of its bubble have not ended.
	Bubble  func(begins bool)
	Bubbled func() int
	// wait until ready, which a goroutine outside control or the kernel brings about
	Outside func(ready func() bool, pc uintptr)
	// a file is about to be written (release), or was read
	Native func(fd int, release bool)
	// what is about to be done with the file or folder of that name; also: the old name of one that
	// is renamed or linked
	File func(use FileUse, name, also string)
	// the caller's caller uses a connection or pipe: what is done until that ends stands there
	Use func(begins bool)

	// Channels. p is the channel, c its capacity, slot where the value is or goes. len(c) is read
	// natively after ChanLen.
	ChanOp func(send bool, p unsafe.Pointer, c int, slot unsafe.Pointer, s Site) (Act, unsafe.Pointer)
	// ChanPolled says that ActBuffer, ActOwn or ActRefill failed: a goroutine outside control was
	// faster. The hook is called again.
	ChanPolled func(p unsafe.Pointer, ok bool)
	ChanClose  func(p unsafe.Pointer, s Site) (native bool)
	ChanLen    func(p unsafe.Pointer, s Site)
	// ChanSelect returns the case to do (-1: default) and what to do for it. cs live until it
	// returns.
	ChanSelect func(cs []Case, def bool, s Site) (int, Act, unsafe.Pointer)

	// Locks. locked and readers are the native state, for objects that are older than the
	// execution.
	MutexLock func(m unsafe.Pointer, locked bool, pc uintptr) (native bool)
	// native: it is free, take it
	MutexTryLock func(m unsafe.Pointer, locked bool, pc uintptr) (native bool)
	MutexUnlock  func(m unsafe.Pointer, locked bool, pc uintptr) (native bool)
	RWLock       func(m unsafe.Pointer, pc uintptr) (native bool)
	RWTryLock    func(m unsafe.Pointer, pc uintptr) (native bool)
	RWUnlock     func(m unsafe.Pointer, pc uintptr) (native bool)
	RWRLock      func(m unsafe.Pointer, pc uintptr) (native bool)
	RWTryRLock   func(m unsafe.Pointer, pc uintptr) (native bool)
	RWRUnlock    func(m unsafe.Pointer, pc uintptr) (native bool)

	// Cond. Wait is CondAdd (ticket: draw a native one), c.L.Unlock, CondBlock, c.L.Lock.
	// CondSignal says whether to signal natively too.
	CondAdd    func(c unsafe.Pointer, pc uintptr) (ticket bool)
	CondBlock  func(c unsafe.Pointer, pc uintptr)
	CondSignal func(c unsafe.Pointer, all bool, pc uintptr) (native bool)

	// WaitGroup. n is the native counter before the operation.
	WGAdd  func(wg unsafe.Pointer, delta, n int, pc uintptr) (native bool)
	WGWait func(wg unsafe.Pointer, n int, pc uintptr) (native bool)

	// Once. OnceDo waits while another call runs the function and reports whether this call must
	// run it; then OnceDone.
	OnceDo   func(o unsafe.Pointer, done bool, pc uintptr) (run bool)
	OnceDone func(o unsafe.Pointer, pc uintptr)

	// sync.Map (op: 0 load, 1 store, 2 load and store, 3 range) and sync.Pool. The native map is
	// used after the hook.
	MapOp func(m unsafe.Pointer, key any, op uint8, pc uintptr)
	// MapLook, if it is set, is told what the map holds before the native operation: its keys, the
	// value of the key, and the values that the method is given. MapGive is called before the
	// function that Range is given, MapTake with what that returned. They are for data flow.
	MapLook func(m unsafe.Pointer, method uint8, keys []any, key, was, a, b any)
	MapGive func(m unsafe.Pointer, key any)
	MapTake func(more bool, s Site)
	PoolGet func(p unsafe.Pointer, pc uintptr) (x any, ok bool)
	PoolPut func(p unsafe.Pointer, x any, pc uintptr)

	// Atomics: AtomicBegin, the native operation, AtomicEnd with whether memory was written and the
	// value it holds now (as bits).
	AtomicBegin func(p unsafe.Pointer, n uintptr, op uint8, pc uintptr)
	AtomicEnd   func(changed bool, bits uint64)
	// AtomicCompared is AtomicEnd for a CompareAndSwap whose values are bits: old is what it
	// compared with.
	AtomicCompared func(swapped bool, old, bits uint64)
	// AtomicUpdated is AtomicEnd for Add, Or and And: op is '+', '|' or '&', by the operand.
	// AtomicUnused says that the result of the operation that has just ended goes nowhere.
	AtomicUpdated func(op byte, by, bits uint64)
	AtomicUnused  func()

	// Time. Now and the others take and return nanoseconds on the runtime's monotonic scale; see
	// package sched for the epoch.
	Now        func() int64
	Sleep      func(d int64, pc uintptr)
	TimerStart func(t unsafe.Pointer, when, period int64, f func(any, uintptr, int64), arg any,
		ch unsafe.Pointer, pc uintptr)
	// TimerStop and TimerReset: ours is false for a timer that was not started under control: use
	// the native one.
	TimerStop  func(t unsafe.Pointer, pc uintptr) (active, ours bool)
	TimerReset func(t unsafe.Pointer, when, period int64, pc uintptr) (active, ours bool)

	// Operate performs an operation (a trace.Op) on the object (a trace.ObjKind) at p, as package
	// model defines it, and returns its outcome. limit is the object's capacity, 0: it has none, or
	// the one that it had; edges are a model.Order beside what that package says.
	Operate func(p unsafe.Pointer, kind, op uint8, limit int, edges uint8, pc uintptr) int
	// Lose reports whether a packet that is about to be sent is lost.
	Lose func(pc uintptr) bool

	// Choices. Rand is the execution's random number generator; Draw is a choice from 0..n-1 to
	// explore like any other.
	Rand func() uint64
	Draw func(n int, pc uintptr) int

	// ExitProcess is os.Exit. It does not return.
	ExitProcess func(code int)

	// MapOrder returns the order (indices) in which to visit the keys given.
	MapOrder func(keys []any) []int
)

// The op of AtomicBegin.
const (
	AtomicLoad uint8 = iota
	AtomicStore
	AtomicRMW // Add, Swap, And, Or
	AtomicCAS
	// AtomicAddress is added for values that are addresses, which differ between executions.
	AtomicAddress uint8 = 1 << 7
)

// What is done with an entry of a map.
const (
	EntryRead uint8 = iota
	EntryWrite
	EntrySet  // it is there, with a value that is always the same
	EntryDrop // it is not there
)

// The kind of Alloc.
const (
	AllocNew  uint8 = iota // new(T), &T{}
	AllocVar               // a local variable that closures capture or whose address is taken
	AllocChan              // n is the capacity
	AllocMap
	AllocSlice
	AllocRest  // the arguments of a variadic function, if nothing else has announced them
	AllocGiven // a call gives it for such arguments: it may be older than the execution
)
