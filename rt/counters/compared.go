package counters

import "unsafe"

// Watching: comparisons are kept.
var Watching bool

// A Pair is two values that were compared and differ.
type Pair struct {
	// of numbers: their bits, and how many bytes each has. Const: A stands in the source.
	A, B  uint64
	Size  int
	Const bool
	// of texts: their beginnings. Fold: but for the case of letters.
	Text bool
	S, T string
	Fold bool
}

// Of one execution mostNumbers and mostTexts pairs are kept, of each text mostText bytes.
const (
	mostNumbers = 1 << 12
	mostTexts   = 1 << 9
	mostText    = 64
)

// Pairs are kept by a hash: those of one place of the program that were compared later take the
// place of others, so that a loop does not drive out everything else.
var (
	numbers [mostNumbers]number
	texts   [mostTexts]pairOfTexts
	round   uint32 // pairs of earlier executions are void
)

type number struct {
	a, b  uint64
	round uint32
	size  uint8
	konst bool
}

type pairOfTexts struct {
	round uint32
	n, m  uint8
	fold  bool
	a, b  [mostText]byte
}

// Watch begins to keep comparisons.
func Watch() {
	round++
	Watching = true
}

// perPlace is how many pairs of one place of the program are kept.
const perPlace = 8

// Number is called for a comparison of two numbers of so many bytes, at a place of the program.
func Number(a, b uint64, size uint8, konst bool, place uint) {
	if a == b && konst && size > 1 {
		near(place, 0)
	}
	if !Watching || a == b {
		return
	}
	h := uint64(place)*0x9e3779b97f4a7c15>>40 + (a^b*3)*0xff51afd7ed558ccd>>40%perPlace
	numbers[h%mostNumbers] = number{a, b, round, size, konst}
}

// mostNear is how many equal bytes at the beginning of two texts are told apart: with each an input
// is nearer to what it is compared with.
const mostNear = 3

// near notes how near a comparison came: 0 for equality.
func near(place uint, how int) {
	compared[(uint64(place)*(mostNear+2)+uint64(how))*0x9e3779b97f4a7c15>>(64-compareBits)] = 1
}

// Text is called for a comparison of two texts.
func Text(a, b string, fold bool, place uint) {
	if a == b {
		near(place, 0)
		return
	}
	if a != "" && b != "" {
		n := 0
		for n < mostNear && n < len(a) && n < len(b) && a[n] == b[n] {
			n++
		}
		near(place, 1+n)
	}
	keep(a, b, fold, place)
}

// Keep keeps a pair of texts, as far as they differ and comparisons are kept.
func Keep(a, b string, place uint) {
	if a != b {
		keep(a, b, false, place)
	}
}

func keep(a, b string, fold bool, place uint) {
	if !Watching {
		return
	}
	h := uint(uint64(place)*0x9e3779b97f4a7c15>>40) + uint(len(a)*7+len(b))
	for _, s := range [2]string{a, b} {
		if s != "" {
			h += uint(s[0]) + uint(s[len(s)-1])*5
		}
	}
	p := &texts[h%mostTexts]
	p.round, p.fold = round, fold
	p.n, p.m = uint8(copy(p.a[:], a)), uint8(copy(p.b[:], b))
}

// Watched ends what Watch began and returns the pairs, in an order that depends on them alone. It
// leaves out addresses of the heap, which no input has and which are others in each process (since
// Go 1.26 it begins at random).
func Watched() (ps []Pair) {
	Watching = false
	for i := range texts {
		if p := &texts[i]; p.round == round {
			ps = append(ps, Pair{Text: true, S: string(p.a[:p.n]), T: string(p.b[:p.m]), Fold: p.fold})
		}
	}
	for i := range numbers {
		if p := &numbers[i]; p.round == round && (p.konst || !heap(p.a) && !heap(p.b)) {
			ps = append(ps, Pair{A: p.a, B: p.b, Size: int(p.size), Const: p.konst})
		}
	}
	return ps
}

// heap reports whether a number may be an address of the heap: within 4 GB of those where stacks
// began.
func heap(n uint64) bool {
	const near = 1 << 32
	return stack > near && n-stack+near < 2*near
}

var stack = func() uint64 {
	var x byte
	return uint64(uintptr(unsafe.Pointer(&x)))
}()
