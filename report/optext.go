package report

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"heddle/report/cause"
	"heddle/report/syntax"
	"heddle/rt/wire"
)

// stepText returns the text of a step, in the words of the source where they are short. That it
// waits is not in it.
func (r *Reporter) stepText(s *wire.Step) string {
	switch {
	case s.Arg != nil && s.Op == "wg-add":
		return r.added(s.Where, *s.Arg)
	case s.Arg != nil && s.Op == "select":
		return r.selected(s.Where, int(*s.Arg), s.Cases)
	case s.Arg != nil && s.Op == "resume":
		if text := r.selected(s.Where, int(*s.Arg), s.Cases); text != "select" {
			return text
		}
	case s.Op == "select" && s.Came == wire.CameWaits:
		return "select"
	case s.Op == "start" && r.byGo(s.Where) != "":
		return "start"
	case s.Op == "arrive" && s.Came != "":
		c := *s
		c.Op, c.Choice = arrivesAt(s.Where.Op), -1
		return stepOperation(&c)
	}
	return stepOperation(s)
}

// arrivesAt returns the operation for which a goroutine arrives at a place: at a lock, where op may
// be any of its operations, or at a channel.
func arrivesAt(op string) string {
	switch op {
	case "rlock", "send", "recv", "select":
		return op
	}
	return "lock"
}

// byGo returns the object of the call of a method Go at a place, "" if there is none: of
// WaitGroup.Go, whose parts the source does not show.
func (r *Reporter) byGo(p wire.Place) string {
	if p.File == "" || !strings.Contains(r.source(p), ".Go(") {
		return ""
	}
	if names := r.parsed.Calls(p.File, p.Line, "Go"); len(names) == 1 {
		return names[0]
	}
	return ""
}

// added returns the text of WaitGroup.Add, Done and Go. n is the argument.
func (r *Reporter) added(p wire.Place, n int64) string {
	group := r.byGo(p)
	wg := oneLine(cmp.Or(p.Object, group))
	name := func(method string) string { return strings.TrimPrefix(wg+"."+method, ".") }
	switch {
	case n == -1:
		return name("Done")
	case n == 1 && group != "":
		return name("Go")
	}
	return name(fmt.Sprintf("Add(%d)", n))
}

// selected returns the text of a select that took case n, counted from 0, -1 for its default: "case
// <-stop". of is 0, or says among how many cases that waited n counts: where these are not all, the
// text is "select".
func (r *Reporter) selected(p wire.Place, n, of int) string {
	if n < 0 {
		return "default"
	}
	cases := r.parsed.Cases(p.File, p.Line)
	if cases == nil && strings.Contains(p.Object, "<-") {
		cases = strings.Split(p.Object, ", ")
	}
	switch {
	case of > 0 && len(cases) != of:
		return "select"
	case n < len(cases):
		return "case " + oneLine(cases[n])
	}
	return "select, its " + ordinal(n+1) + " case"
}

// ofCond returns the name of the object of op at p. At the line of a Cond's Wait the lock is that
// of the Cond: "q.some.L".
func (r *Reporter) ofCond(op string, p wire.Place) string {
	if methods[op] == "" || p.Object == "" || strings.HasSuffix(p.Object, ".L") {
		return p.Object
	}
	if p.Op == "cond-wait" || slices.Contains(r.parsed.Calls(p.File, p.Line, "Wait"), p.Object) {
		return p.Object + ".L"
	}
	return p.Object
}

// methods are the methods of package sync by operation.
var methods = map[string]string{"lock": "Lock", "unlock": "Unlock", "rlock": "RLock", "runlock": "RUnlock",
	"arrive": "Lock"}

// lineNames gives names to the objects of lines with several calls, such as a closure on one line:
// the calls of one goroutine come in the order of the source.
type lineNames struct {
	files   *syntax.Files
	calls   map[string]int  // by goroutine, line and method: how many were begun
	arrived map[string]bool // the last one has arrived and may still wait
}

// name returns the receiver of the call that performs op, "" if the line does not say. waits: the
// operation was announced and never performed.
func (n *lineNames) name(g, op string, p wire.Place, waits bool) string {
	method := methods[op]
	if p.Object != "" || method == "" || p.File == "" {
		return p.Object
	}
	receivers := inOrder(n.files, p.File, p.Line, method)
	if len(receivers) == 0 {
		return ""
	}
	key := fmt.Sprint(g, " ", method, " ", p.File, ":", p.Line)
	k := n.calls[key]
	switch {
	case n.arrived[key] && op != "arrive":
		k-- // it goes on with what it has arrived at
		n.arrived[key] = waits
	case !waits:
		n.calls[key]++
		n.arrived[key] = op == "arrive"
	}
	return receivers[max(k, 0)%len(receivers)]
}

// nameObjects fills in the names of locks on lines with several calls, of steps and of the places
// that wait there.
func (r *Reporter) nameObjects(f *wire.Finding) {
	for i := range f.Places {
		f.Places[i].Object = r.ofCond(f.Places[i].Op, f.Places[i])
	}
	for i := range f.Story {
		f.Story[i].Where.Object = r.ofCond(f.Story[i].Op, f.Story[i].Where)
	}
	if len(f.Clip.Steps) == 0 {
		return // what came before says which call it is
	}
	n := lineNames{r.parsed, map[string]int{}, map[string]bool{}}
	for _, steps := range [][]wire.Step{f.Clip.Steps, f.Rest} {
		for i := range steps {
			s := &steps[i]
			s.Where.Object = r.ofCond(s.Op, s.Where)
			s.Where.Object = n.name(s.G, s.Op, s.Where, false)
		}
	}
	if f.Skipped > 0 {
		return
	}
	for i := range f.Places {
		p := &f.Places[i]
		p.Object = n.name(p.Goroutine, p.Op, *p, true)
	}
}

// noteReaders says of locks that are waited for that they are held for reading, where the steps of
// all their holders say so.
func noteReaders(f *wire.Finding) {
	for i := range f.Places {
		p := &f.Places[i]
		holders, ok := strings.CutPrefix(p.Note, "held by ")
		for _, g := range strings.Split(holders, ", ") {
			ok = ok && reads(f.Clip.Steps, g, p.Object)
		}
		if ok {
			p.Note = "held for reading by " + holders
		}
	}
}

// reads reports whether g holds a lock of that name after the steps, and for reading only.
func reads(steps []wire.Step, g, object string) bool {
	locks, _ := cause.Held(steps, g)
	locks = slices.DeleteFunc(locks, func(l cause.Lock) bool { return l.Object != object })
	return len(locks) > 0 && !slices.ContainsFunc(locks, func(l cause.Lock) bool { return !l.Read })
}

// inOrder returns the receivers of the calls of a method on a line, in the order of the source, nil
// where that is not the order in which they are made: there is a branch, a loop, a defer, or more
// than one function on the line.
func inOrder(files *syntax.Files, file string, line int, method string) []string {
	straight, functions := true, 0
	files.On(file, line, func(n ast.Node) {
		on := files.Line(n.Pos()) == line
		switch n.(type) {
		case *ast.FuncLit:
			if on {
				functions++
			}
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.DeferStmt:
			straight = straight && !on
		}
	})
	if !straight || functions > 1 {
		return nil
	}
	return files.Calls(file, line, method)
}

// inSubtest names the subtest of a finding, as the end of a heading: " in TestParse/empty". It is
// "" where the test has none, or several took part. Of a finding without it, the output may say
// which one failed.
func inSubtest(f *wire.Finding) string {
	if f.Subtest != "" {
		return " in " + oneLine(f.Subtest)
	}
	var failed []string
	for l := range strings.Lines(f.Output) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(l), "--- FAIL: ")
		name, _, _ := strings.Cut(rest, " (")
		if !ok || !strings.Contains(name, "/") {
			continue
		}
		// the parent's line comes before those of its subtests
		if n := len(failed); n > 0 && strings.HasPrefix(name, failed[n-1]+"/") {
			failed = failed[:n-1]
		}
		failed = append(failed, name)
	}
	if len(failed) != 1 {
		return ""
	}
	return " in " + oneLine(failed[0])
}
