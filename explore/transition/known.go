package transition

import "heddle/trace"

// Known is an object whose accesses turned out to conflict beyond what goes without saying (see
// order), by what it is called in every execution, and in every process that runs the same binary.
type Known struct {
	By     []int32       `json:",omitempty"` // who made it: its place in the tree of go statements, from the root
	N      int32         `json:",omitempty"`
	Offset uint32        `json:",omitempty"`
	Addr   uint64        `json:",omitempty"` // of one older than the execution
	Kind   trace.ObjKind `json:",omitempty"`
	Size   uint32        `json:",omitempty"`
}

// Known returns what was learnt about objects so far.
func (tab *Table) Known() (known []Known) {
	for i := range tab.objects {
		if o := &tab.objects[i]; o.ordered {
			known = append(known, Known{tab.path(o.by), o.n, o.offset, uint64(o.addr), o.kind, o.size})
		}
	}
	return known
}

// Know takes what another Table learnt. It must come before the first execution is read.
func (tab *Table) Know(known []Known) {
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
