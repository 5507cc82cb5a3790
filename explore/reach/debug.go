package reach

import "os"
import "fmt"

func debugf(a ...any) {
	f, _ := os.OpenFile("/tmp/reach-debug", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	fmt.Fprintln(f, a...)
	f.Close()
}

func (s *Strategy) dump(what string, j int, a, b set) {
	debugf(what, j, a, b, len(s.v.sleepers))
	for i := range s.seq.n {
		t := s.seq.At(i)
		from := int32(99)
		if i < len(s.v.from) {
			from = s.v.from[i]
		}
		as := ""
		for _, x := range t.Accesses {
			as += fmt.Sprint(" ", s.tab.ObjectName(x.Obj), " ", x.Op, x.Arg, x.Mode)
		}
		debugf(i, from, s.tab.Name(t.Proc), t.Op, t.Case, as)
	}
	for i := range s.v.sleepers {
		debugf(s.v.sleepers[i])
	}
}

func (s *Strategy) dumpNode() {
	n := s.stack[len(s.stack)-1]
	for i := range n.events {
		debugf("node", i, n.events[i])
	}
	for _, x := range n.table.row {
		debugf("ext", n.exts[x])
	}
}
