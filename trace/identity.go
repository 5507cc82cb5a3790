package trace

// An Identity names an object, in every execution and in every process that runs the same binary.
type Identity struct {
	// the goroutine that made it: its path in the tree of go statements; nil if the object is older
	// than the execution
	By     []int32 `json:",omitempty"`
	Made   uint64  `json:",omitempty"` // the Site of the allocation
	N      int32   `json:",omitempty"` // the goroutine's N-th allocation there, from 1
	Offset uint32  `json:",omitempty"`
	Addr   uint64  `json:",omitempty"` // the address of an object older than the execution
	Kind   ObjKind `json:",omitempty"`
	Size   uint32  `json:",omitempty"` // the size, of memory
}
