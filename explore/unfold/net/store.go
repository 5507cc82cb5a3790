package net

// How a net is kept: in pieces that stay where they are, so that what grows is not copied, and in
// lists whose elements lie beside each other, since a search goes through many conditions of which
// most lead nowhere.

const (
	chunkBits = 10
	chunkSize = 1 << chunkBits
)

// chunks is a sequence that grows.
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

// A list of conditions: 0 if it is empty, ^c if c is all there is, crowdBit and a number if it is a
// crowd, else where its newest block is.
type list int32

// only returns the one condition of a list that has no block; None if it is empty.
func (l list) only() Cond { return max(^Cond(l), None) }

// blocks are what longer lists are made of. A block is the list of what was added before it, how
// many numbers it has, how many there is room for, and these, those added last at the end.
type blocks struct {
	words []*[chunkSize]int32
	used  int32 // words of the last piece
}

const (
	blockHeader = 3
	lastBlock   = 64 // numbers; each block has room for twice as many as the one before, up to this
)

// at returns the numbers of a block, and the list of what was added before.
func (p *blocks) at(l list) ([]int32, list) {
	b := p.words[l>>chunkBits][l&(chunkSize-1):]
	return b[blockHeader:][:b[1]], list(b[0])
}

// full reports whether the newest block of a list is full and as long as they get.
func (p *blocks) full(l list) bool {
	b := p.words[l>>chunkBits][l&(chunkSize-1):]
	return b[2] == lastBlock && b[1] == b[2]
}

// add returns l, which is empty or has blocks, with xs, of which there are as many each time.
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
		p.used = 1 // nothing is at 0
	}
	at := list(int32(len(p.words)-1)<<chunkBits | p.used)
	p.used += blockHeader + room
	copy(p.words[len(p.words)-1][at&(chunkSize-1):], []int32{int32(l), n, room})
	p.set(at, xs)
	return at
}

// set makes xs the last numbers of a block.
func (p *blocks) set(l list, xs []Cond) {
	b, _ := p.at(l)
	for i, x := range xs {
		b[len(b)-len(xs)+i] = int32(x)
	}
}
