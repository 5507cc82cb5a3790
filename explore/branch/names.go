package branch

import (
	"strconv"

	"heddle/trace"
)

// names gives operations names that two executions of a program agree on:
// goroutines and objects by who created them, statements by where they stand.
type names struct {
	t       *trace.Trace
	objects []string
	// objects that nobody is known to have made go by their kind: of some the address differs
	// between executions
	kinds bool
}

func newNames(t *trace.Trace) *names { return &names{t: t, objects: make([]string, len(t.Objects))} }

// object names an object; those older than the execution by their address, which stays.
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

// op names an operation as access-manners have it: statement, operation, operand.
func (n *names) op(event int) string {
	e := &n.t.Events[event]
	return siteName(e.Site) + ":" + e.Op.String() + ":" + n.object(e.Obj)
}

func siteName(s trace.Site) string { return strconv.FormatUint(uint64(s.Plain()), 36) }
