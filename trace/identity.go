package trace

// An Identity is an object by what it is called in every execution, and in every
// process that runs the same binary.
type Identity struct {
	By     []int32 `json:",omitempty"` // who made it: its place in the tree of go statements, from the root; nil: it is older than the execution
	Made   uint64  `json:",omitempty"` // at which Site
	N      int32   `json:",omitempty"` // as the how manieth allocation there
	Offset uint32  `json:",omitempty"`
	Addr   uint64  `json:",omitempty"` // of one older than the execution
	Kind   ObjKind `json:",omitempty"`
	Size   uint32  `json:",omitempty"` // of memory
}
