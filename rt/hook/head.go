package hook

import "unsafe"

// Heads: where an iteration of a loop has ended, and what lives on is known. Strategies that tell
// apart what goroutines remember ask for them.
//
//	for j := range jobs {    var _hd1 _hd.Turns
//		sum += f(j)          if _hd.Heads { _hd1 = _hd.Begins(_hd.HI(_hd.Alive, sum)) }
//	}                        for j := range jobs {
//	                         	sum += f(j)
//	                         	if _hd.Heads { _hd1 = _hd.Head(_hd1, _hd.HI(_hd.Alive, sum)) } }

// Turns are a loop of a goroutine, and its iterations that are over: the number of the loop times
// 2^32, and how many. 0: it has no number.
type Turns uint64

// Heads is true while Begins and Head are told.
var Heads bool

// Begins says that a loop begins. values is as in Head, if the loop begins as it goes on: with the
// same values an iteration that is over leaves the goroutine where it is now. Else it is 0.
//
//go:noinline
func Begins(values uint64) (t Turns) {
	if !Here() {
		return 0
	}
	return LoopHead(0, values, stackDepth(uintptr(unsafe.Pointer(&t))))
}

// Alive is a digest of no variables. One of variables is made from it by the functions below; 0 is
// that of variables of which too little is known.
const Alive uint64 = 1

// Shallow is how deep the running goroutine has written on its stack, in bytes from the stack's
// beginning: the least since the scheduler looked.
var Shallow uintptr = Unwritten

// Unwritten is the Shallow of a goroutine that has written nothing.
const Unwritten = ^uintptr(0)

// Head says that an iteration is over. values is the digest of the variables that live on and that
// the loop changes. It returns t with one iteration more.
//
//go:noinline
func Head(t Turns, values uint64) Turns {
	if !Here() {
		return t
	}
	return LoopHead(t+1, values, stackDepth(uintptr(unsafe.Pointer(&t))))
}

// Muted is true if a package has functions, or objects, that change memory and do not announce it.
var Muted bool

// Mutes says so, when the package is initialised: nothing is known then of what loops forget.
func Mutes() bool {
	Muted = true
	return true
}

// Remembers says that something is kept which no write announces: what the body of a range over a
// function leaves in the function around it, or the result of a sync.OnceValue.
func Remembers() {
	if Heads && Here() {
		Shallow, Unsettled = 0, true
	}
}

// HI adds an integer to a digest.
func HI[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](
	digest uint64, v T) uint64 {
	return digested(digest, uint64(v))
}

// HB adds a boolean.
func HB[T ~bool](digest uint64, v T) uint64 {
	if v {
		return digested(digest, 1)
	}
	return digested(digest, 0)
}

// HF adds a number: two that are printed alike may differ in it.
func HF[T ~float32 | ~float64](digest uint64, v T) uint64 {
	if unsafe.Sizeof(v) == 4 { // a conversion makes some values that are no number others
		return digested(digest, uint64(*(*uint32)(unsafe.Pointer(&v))))
	}
	return digested(digest, *(*uint64)(unsafe.Pointer(&v)))
}

// HS adds a text.
func HS[T ~string](digest uint64, v T) uint64 {
	digest = digested(digest, uint64(len(v)))
	for i := 0; i < len(v); i++ {
		digest = digested(digest, uint64(v[i]))
	}
	return digest
}

// HN adds a pointer or the like that may be nil. Of any other nothing is known.
func HN(digest uint64, isNil bool) uint64 {
	if !isNil {
		return 0
	}
	return digested(digest, 2)
}

// digested returns a digest of a digest and a number, never 0 but of 0.
func digested(digest, v uint64) uint64 {
	if digest == 0 {
		return 0
	}
	x := (digest ^ v*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	x ^= x >> 32
	x *= 0x94d049bb133111eb
	x ^= x >> 29
	return max(x, 1)
}

// wroteStack is told of a write to the running goroutine's own stack.
func wroteStack(p uintptr) {
	if Heads {
		Shallow = min(Shallow, stackDepth(p))
		Unsettled = true
	}
}
