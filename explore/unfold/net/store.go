package net

// Storage of a net. It grows in pieces that stay where they are, so nothing is copied. The elements
// of a list are adjacent in memory, since a search reads many conditions of which most are of no
// use.

const (
	chunkBits = 10
	chunkSize = 1 << chunkBits
)

// chunks is a sequence that grows without copying.
type chunks[T any] struct {
	list []*[chunkSize]T
	n    int
}

func (l *chunks[T]) at(i int32) *T { return &l.list[i>>chunkBits][i&(chunkSize-1)] }

func (l *chunks[T]) add(x T) {
	if l.n&(chunkSize-1) == 0 {
		l.list = append(l.list, new([chunkSize]T))
	}
	l.n++
	*l.at(int32(l.n - 1)) = x
}

// A list is a list of conditions: 0 if it is empty, ^c if c is its only element, crowdBit and a
// number if it is a crowd, else the index of its newest block.
type list int32

// only returns the only condition of a list without blocks; None if the list is empty.
func (l list) only() Cond { return max(^Cond(l), None) }

// blocks holds the blocks of longer lists. A block is the list before it, the count of its numbers,
// its room, and the numbers, the newest last.
type blocks struct {
	words []*[chunkSize]int32
	used  int32 // words used of the last piece
}

const (
	blockHeader = 3
	lastBlock   = 64 // numbers in the largest block; each has twice the room of the one before
)

// at returns the numbers of a block, and the list before it.
func (p *blocks) at(l list) ([]int32, list) {
	b := p.words[l>>chunkBits][l&(chunkSize-1):]
	return b[blockHeader:][:b[1]], list(b[0])
}

// full reports whether the newest block of a list is full and of the largest size.
func (p *blocks) full(l list) bool {
	b := p.words[l>>chunkBits][l&(chunkSize-1):]
	return b[2] == lastBlock && b[1] == b[2]
}

// add returns l with xs added. l is empty or has blocks, and every add to it has as many xs.
func (p *blocks) add(l list, xs ...Cond) list {
	n := int32(len(xs))
	room := 2 * n
	if l > 0 {
		b := p.words[l>>chunkBits][l&(chunkSize-1):]
		if b[1] < b[2] {
			b[1] += n
			p.set(l, xs)
			return l
		}
		room = min(2*b[2], lastBlock)
	}
	if len(p.words) == 0 || p.used+blockHeader+room > chunkSize {
		p.words = append(p.words, new([chunkSize]int32))
		p.used = 1 // index 0 is unused: list 0 is empty
	}
	at := list(int32(len(p.words)-1)<<chunkBits | p.used)
	p.used += blockHeader + room
	copy(p.words[len(p.words)-1][at&(chunkSize-1):], []int32{int32(l), n, room})
	p.set(at, xs)
	return at
}

// set sets the last numbers of a block to xs.
func (p *blocks) set(l list, xs []Cond) {
	b, _ := p.at(l)
	for i, x := range xs {
		b[len(b)-len(xs)+i] = int32(x)
	}
}
