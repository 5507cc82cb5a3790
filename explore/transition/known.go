package transition

import "heddle/trace"

// Places names objects that are older than an execution for other processes, which have them at
// other addresses.
type Places interface {
	// Name returns the name for an address; ok is false if there is none that other processes know.
	Name(addr uintptr) (name uint64, ok bool)
	// Addr returns the address for a name; ok is false if there is none in this process.
	Addr(name uint64) (addr uintptr, ok bool)
}

// Between sets the names by which this Table exchanges older objects with other processes. Without
// names, addresses count as the same everywhere.
func (tab *Table) Between(p Places) { tab.places = p }

// Unnamed reports whether the Table has met an older object without a name in such an exchange.
func (tab *Table) Unnamed() bool { return tab.unnamed }

// Nameable reports whether each object of this Table has a name.
func (tab *Table) Nameable() bool {
	for i := range tab.objects {
		if k := &tab.objects[i].objectKey; k.by == NoProc && tab.places != nil {
			if _, ok := tab.places.Name(k.addr); !ok {
				return false
			}
		}
	}
	return true
}

// name returns the name of an object's address for other processes.
func (tab *Table) name(k *objectKey) uint64 {
	if k.by != NoProc || tab.places == nil {
		return uint64(k.addr)
	}
	name, ok := tab.places.Name(k.addr)
	tab.unnamed = tab.unnamed || !ok
	return name
}

// addr returns the address for a name from another process.
func (tab *Table) addr(by Proc, name uint64) uintptr {
	if by != NoProc || tab.places == nil {
		return uintptr(name)
	}
	addr, ok := tab.places.Addr(name)
	tab.unnamed = tab.unnamed || !ok
	return addr
}

// Known returns the objects for which more accesses conflict than by default (see order).
func (tab *Table) Known() (known []trace.Identity) {
	for i := range tab.objects {
		if o := &tab.objects[i]; o.Ordered {
			known = append(known, trace.Identity{By: tab.path(o.by), Made: uint64(o.made), N: o.n,
				Offset: o.offset, Addr: tab.name(&o.objectKey), Kind: o.kind, Size: o.size})
		}
	}
	return known
}

// Know adds what Known of another Table returned. It must precede the first execution that is read.
func (tab *Table) Know(known []trace.Identity) {
	for _, k := range known {
		by := NoProc
		for _, n := range k.By {
			by = tab.proc(procRow{by, n})
		}
		obj := tab.intern(objectKey{by: by, made: trace.Site(k.Made), n: k.N, offset: k.Offset,
			addr: tab.addr(by, k.Addr), kind: k.Kind, size: k.Size})
		tab.objects[obj].Ordered = true
	}
}

// path returns the path of a goroutine in the tree of go statements.
func (tab *Table) path(p Proc) []int32 {
	if p == NoProc {
		return nil
	}
	r := tab.procs[p]
	return append(tab.path(r.parent), r.n)
}
