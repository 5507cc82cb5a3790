package transition

import "heddle/trace"

// Places are what objects that are older than an execution go by between processes, which have them at different addresses.
type Places interface {
	// Name returns what an address goes by; ok is false if other processes could not tell.
	Name(addr uintptr) (name uint64, ok bool)
	// Addr returns the address that goes by a name; ok is false if there is none here.
	Addr(name uint64) (addr uintptr, ok bool)
}

// Between sets what older objects go by in what this Table says to others and hears from them. Without, addresses
// are taken to be the same everywhere.
func (tab *Table) Between(p Places) { tab.places = p }

// Unnamed reports whether this Table had to speak or hear of an object for which there is no name.
func (tab *Table) Unnamed() bool { return tab.unnamed }

// Nameable reports whether there is a name for each object that this Table knows.
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

// name is what others know an object's address by.
func (tab *Table) name(k *objectKey) uint64 {
	if k.by != NoProc || tab.places == nil {
		return uint64(k.addr)
	}
	name, ok := tab.places.Name(k.addr)
	tab.unnamed = tab.unnamed || !ok
	return name
}

// addr is the address that others know by a name.
func (tab *Table) addr(by Proc, name uint64) uintptr {
	if by != NoProc || tab.places == nil {
		return uintptr(name)
	}
	addr, ok := tab.places.Addr(name)
	tab.unnamed = tab.unnamed || !ok
	return addr
}

// Known returns the objects whose accesses turned out to conflict beyond what goes without saying (see order).
func (tab *Table) Known() (known []trace.Identity) {
	for i := range tab.objects {
		if o := &tab.objects[i]; o.Ordered {
			known = append(known, trace.Identity{By: tab.path(o.by), Made: uint64(o.made), N: o.n, Offset: o.offset, Addr: tab.name(&o.objectKey), Kind: o.kind, Size: o.size})
		}
	}
	return known
}

// Know takes what another Table learnt. It must come before the first execution is read.
func (tab *Table) Know(known []trace.Identity) {
	for _, k := range known {
		by := NoProc
		for _, n := range k.By {
			by = tab.proc(procRow{by, n})
		}
		obj := tab.intern(objectKey{by: by, made: trace.Site(k.Made), n: k.N, offset: k.Offset, addr: tab.addr(by, k.Addr), kind: k.Kind, size: k.Size})
		tab.objects[obj].Ordered = true
	}
}

// path returns the place of a goroutine in the tree of go statements.
func (tab *Table) path(p Proc) []int32 {
	if p == NoProc {
		return nil
	}
	r := tab.procs[p]
	return append(tab.path(r.parent), r.n)
}
