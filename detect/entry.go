package detect

import "heddle/trace"

// kind is a set of two properties, such that two questions take one instruction each. Two accesses
// conflict if together they have both properties (one writes, one is plain). An access stands for
// another if it has all properties of the other: then it conflicts with all that the other
// conflicts with.
type kind uint8

const (
	plain kind = 1 << iota // not atomic
	write
)

// An entryHead says when, by which goroutine and how an access was made:
//
//	clock 32 | chain 22 | kind 2 | mask 8
//
// The mask has the bytes of the word. A mask without bytes is an empty entry, or the mark of a wide
// cell.
type entryHead uint64

// An entry is one recorded access.
type entry struct {
	head entryHead
	site trace.Site
}

const maxChains = 1 << 22

func head(k trace.Chain, own uint32, how kind, m uint8) entryHead {
	if uint(k) >= maxChains {
		tooMany()
	}
	return entryHead(own)<<32 | entryHead(k)<<10 | entryHead(how)<<8 | entryHead(m)
}

func tooMany() { panic("heddle: race detection serves 4,194,304 goroutines at a time") }

// mask returns the bytes of p's word from p on, at most n.
func mask(p, n uintptr) uint8 { return uint8((1<<n - 1) << (p % wordSize)) }

func (h entryHead) mask() uint8                 { return uint8(h) }
func (h entryHead) kind() kind                  { return kind(h>>8) & (plain | write) }
func (h entryHead) chain() trace.Chain          { return trace.Chain(h >> 10 & (maxChains - 1)) }
func (h entryHead) epoch() trace.Epoch          { return trace.NewEpoch(h.chain(), uint32(h>>32)) }
func (h entryHead) before(c *trace.Vector) bool { return uint32(h>>32) <= c.At(h.chain()) }

// without returns h without the bytes m; 0 if no byte is left.
func (h entryHead) without(m uint8) entryHead {
	if h &^= entryHead(m); h.mask() == 0 {
		return 0
	}
	return h
}

// sameBut reports whether h and k differ in their bytes at most.
func (h entryHead) sameBut(k entryHead) bool { return (h^k)>>8 == 0 }

// repeats reports whether e has access h at place at.
func (e *entry) repeats(h entryHead, at trace.Site) bool {
	return e.head&(h|^entryHead(0xff)) == h && e.site == at
}

func conflict(a, b kind) bool      { return a|b == plain|write }
func standsFor(new, old kind) bool { return old&^new == 0 }
