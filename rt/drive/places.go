package drive

import (
	"reflect"
	"unsafe"
)

// What objects that are older than the executions go by between processes of one
// test binary, which have them at different addresses: a package-level variable by where it is
// in the binary; what variables lead to, by how they do. It implements transition.Places.
type places struct {
	vars  *saved // nil: only variables have names
	names map[uintptr]uint64
}

// anchor is a package-level variable, and variables are the more or less that all are away from it
// at most.
var anchor byte

const variables = 1 << 31

// A name of a variable is its distance from anchor; of other memory pathName, a hash, and the
// offset in its block.
const pathName = 1 << 62

// Name implements transition.Places.
func (p *places) Name(addr uintptr) (name uint64, ok bool) {
	if d := int64(addr - uintptr(unsafe.Pointer(&anchor))); d > -variables && d < variables {
		return uint64(d), true
	}
	if name := p.names[addr]; name != 0 {
		return name, true
	}
	if p.vars == nil {
		return 0, false
	}
	for i := range p.vars.blocks {
		b := &p.vars.blocks[i]
		if addr < uintptr(b.p) || addr-uintptr(b.p) >= b.n {
			continue
		}
		if _, only := p.block(b.name); b.name == 0 || !only {
			return 0, false
		}
		name := b.name | uint64(addr-uintptr(b.p))
		if p.names == nil {
			p.names = make(map[uintptr]uint64)
		}
		p.names[addr] = name
		return name, true
	}
	return 0, false
}

// Addr implements transition.Places.
func (p *places) Addr(name uint64) (addr uintptr, ok bool) {
	if d := int64(name); d > -variables && d < variables {
		return uintptr(unsafe.Pointer(&anchor)) + uintptr(d), true
	}
	if p.vars == nil {
		return 0, false
	}
	b, only := p.block(name &^ (1<<32 - 1))
	if offset := uintptr(uint32(name)); only && offset < b.n {
		return uintptr(b.p) + offset, true
	}
	return 0, false
}

// block returns the block of that name; only: there is one.
func (p *places) block(name uint64) (b *savedBlock, only bool) {
	for i := range p.vars.blocks {
		if x := &p.vars.blocks[i]; x.name == name {
			if b != nil {
				return b, false
			}
			b = x
		}
	}
	return b, b != nil
}

// placeIn names what something of a name leads to by x; what has no name leads to nothing that has.
func placeIn(name, x uint64) uint64 {
	if name == 0 {
		return 0
	}
	h := (name ^ x*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>31) * 0x94d049bb133111eb
	return pathName | h>>34<<32
}

// placeOf names the value of a key in a map.
func placeOf(name uint64, key reflect.Value) uint64 {
	switch {
	case key.Kind() == reflect.String:
		for _, b := range []byte(key.String()) {
			name = placeIn(name, uint64(b)+1)
		}
		return placeIn(name, 0)
	case key.CanInt():
		return placeIn(name, uint64(key.Int()))
	case key.CanUint():
		return placeIn(name, key.Uint())
	}
	return 0
}
