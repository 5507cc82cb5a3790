package transition

import "heddle/trace"

// Known returns the objects whose accesses turned out to conflict beyond what goes without saying (see order).
func (tab *Table) Known() (known []trace.Identity) {
	for i := range tab.objects {
		if o := &tab.objects[i]; o.ordered {
			known = append(known, trace.Identity{By: tab.path(o.by), N: o.n, Offset: o.offset, Addr: uint64(o.addr), Kind: o.kind, Size: o.size})
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
		obj := tab.intern(objectKey{by: by, n: k.N, offset: k.Offset, addr: uintptr(k.Addr), kind: k.Kind, size: k.Size})
		tab.objects[obj].ordered = true
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
