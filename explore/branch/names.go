package branch

import (
	"strconv"

	"heddle/trace"
)

// names names operations so that two executions of a program agree: goroutines and objects by their
// creation, statements by their site.
type names struct {
	t       *trace.Trace
	objects []string
	// objects without a known creation are named by their kind: the address of some differs between
	// executions
	kinds bool
}

func newNames(t *trace.Trace) *names { return &names{t: t, objects: make([]string, len(t.Objects))} }

// object names an object; one older than the execution by its address, which is the same in all
// executions.
func (n *names) object(o trace.ObjID) string {
	if o <= 0 {
		return ""
	}
	if n.objects[o] == "" {
		ob := &n.t.Objects[o]
		if ob.G == trace.NoG && n.kinds {
			n.objects[o] = ob.Kind.String()
		} else if ob.G == trace.NoG {
			n.objects[o] = strconv.FormatUint(uint64(ob.Addr), 16)
		} else {
			n.objects[o] = n.t.Name(ob.G) + "#" + strconv.Itoa(int(ob.N)) + "+" + strconv.Itoa(int(ob.Offset))
		}
	}
	return n.objects[o]
}

// op names an operation as access-manners do: statement, operation, operand.
func (n *names) op(event int) string {
	e := &n.t.Events[event]
	return siteName(e.Site) + ":" + e.Op.String() + ":" + n.object(e.Obj)
}

func siteName(s trace.Site) string { return strconv.FormatUint(uint64(s.Plain()), 36) }
