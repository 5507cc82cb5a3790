package sched

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"heddle/trace"
)

// The stacks that the program under test sees (runtime.Stack, runtime.Callers).
// Tests look there for goroutines that were left behind: a coroutine must look
// like a goroutine that waits for what it waits for, and what belongs to heddle
// (coroutines without a goroutine, frames of the scheduler) must not be seen.

// stackText is runtime.Stack for the goroutine under test that runs.
func (s *Sched) stackText(buf []byte, all bool) int {
	s.enter()
	s.twins.named = true
	raw := make([]byte, 16<<10)
	n := runtime.Stack(raw, all)
	for n == len(raw) {
		raw = make([]byte, 4*len(raw))
		n = runtime.Stack(raw, all)
	}
	byID := make(map[uint64]*G)
	for _, g := range s.gs {
		if g.state() != gDone && g.w != nil {
			byID[g.w.goid] = g
		}
	}
	var out bytes.Buffer
	for _, part := range strings.Split(strings.TrimSuffix(string(raw[:n]), "\n"), "\n\n") {
		s.writeStack(&out, part, byID, s.cur)
	}
	for _, g := range s.gs {
		if all && g.state() != gDone && g.w == nil && g.id != s.timerG.id { // about to start
			sep(&out)
			out.WriteString("goroutine " + goroutineNumber(g.id) + " [runnable]:\n")
			if f := runtime.FuncForPC(**(**uintptr)(unsafe.Pointer(&g.fn))); f != nil {
				file, line := f.FileLine(f.Entry())
				out.WriteString(f.Name() + "()\n\t" + file + ":" + strconv.Itoa(line) + " +0x0\n")
			}
			s.writeCreated(&out, g)
		}
	}
	s.leave()
	return copy(buf, out.Bytes())
}

func sep(out *bytes.Buffer) {
	if out.Len() > 0 {
		out.WriteByte('\n')
	}
}

// writeStack prints one goroutine's stack, given as the runtime prints it, without what is
// heddle's.
func (s *Sched) writeStack(out *bytes.Buffer, part string, byID map[uint64]*G, cur *G) {
	lines := strings.Split(part, "\n")
	head, ok := strings.CutPrefix(lines[0], "goroutine ")
	num, _, _ := strings.Cut(head, " ")
	id, err := strconv.ParseUint(num, 10, 64)
	if !ok || err != nil {
		return
	}
	var kept []string
	owner, coroutine := byID[id], false
	driver := false
scan:
	for i := 1; i < len(lines); i += 2 {
		name, file := lines[i], ""
		if i+1 < len(lines) {
			file = lines[i+1]
		}
		switch {
		case strings.HasPrefix(name, "heddlert/drive.Run("):
			driver = true
			kept = kept[:0]
		case strings.HasPrefix(name, "heddlert/sched.(*worker).main"),
			strings.HasPrefix(name, "heddlert/sched.(*Sched).start("):
			coroutine = true
			break scan
		case strings.HasPrefix(name, "heddlert/"), strings.Contains(file, "/heddle.go:") && driver:
		case strings.HasPrefix(name, "testing.tRunner("), strings.HasPrefix(name, "testing.fRunner("):
			coroutine = coroutine || owner != nil
			kept = append(kept, name, file)
			if coroutine {
				break scan
			}
		case strings.Contains(file, "/heddle.go:") && owner != nil:
		default:
			kept = append(kept, name)
			if file != "" {
				kept = append(kept, file)
			}
		}
	}
	switch {
	case driver:
		sep(out)
		out.WriteString("goroutine " + num + " [chan receive]:\n")
		out.WriteString("testing.(*T).Run(0x0)\n\t" + TestingFile + ":1 +0x0\n")
	case owner != nil:
		sep(out)
		out.WriteString("goroutine " + goroutineNumber(owner.id) + " [" + stateText(owner, cur) + "]:\n")
	case coroutine:
		return // a stack without a goroutine
	default:
		sep(out)
		out.WriteString(lines[0] + "\n")
	}
	for _, l := range kept {
		if owner != nil && strings.HasPrefix(l, "created by heddlert/") {
			break // the coroutine
		}
		out.WriteString(l)
		out.WriteByte('\n')
	}
	if owner != nil {
		s.writeCreated(out, owner)
	}
}

// goroutineNumber is the number that the program sees: stacks are used again, numbers are not.
func goroutineNumber(id trace.GID) string { return strconv.Itoa(int(id) + firstNumber) }

// firstNumber is about what the first test's goroutine has under go test.
const firstNumber = 18

// writeCreated prints what started a goroutine, as the runtime does.
func (s *Sched) writeCreated(out *bytes.Buffer, g *G) {
	name, file, line, parent := "testing.(*T).Run", TestingFile, 1, "1"
	if g.id != 0 {
		f := runtime.FuncForPC(g.goPC - 1)
		if f == nil {
			return
		}
		name = strings.ReplaceAll(f.Name(), ").heddleGo", ").Go") // WaitGroup.Go
		file, line = f.FileLine(g.goPC - 1)
		if p := s.t.Goroutines[g.id].Parent; p >= 0 && p != s.timerG.id {
			parent = goroutineNumber(p)
		}
	}
	out.WriteString("created by " + name + " in goroutine " + parent + "\n")
	out.WriteString("\t" + file + ":" + strconv.Itoa(line) + " +0x0\n")
}

// stateTexts are the runtime's words for what a goroutine waits for.
var stateTexts = map[trace.Op]string{
	trace.OpSend: "chan send", trace.OpRecv: "chan receive", trace.OpSelect: "select",
	trace.OpLock:   "sync.Mutex.Lock",
	trace.OpArrive: "sync.RWMutex.Lock", trace.OpRLock: "sync.RWMutex.RLock",
	trace.OpCondWait: "sync.Cond.Wait",
	trace.OpWGWait:   "sync.WaitGroup.Wait", trace.OpSleep: "sleep", trace.OpOnce: "sync.Mutex.Lock",
}

func stateText(g, cur *G) string {
	switch {
	case g == cur:
		return "running"
	case g.state() == gReady || g.state() == gYielded || g.state() == gSpinning:
		return "runnable"
	}
	text := stateTexts[S.pend[g.id].Op]
	switch {
	case text == "":
		return "runnable"
	case g.at == nil && text == "select":
		return "select (no cases)"
	case g.at == nil && strings.HasPrefix(text, "chan"):
		return text + " (nil chan)"
	case g.at != nil && g.at.kind == trace.ObjRWMutex && text == "sync.Mutex.Lock":
		return "sync.RWMutex.Lock"
	}
	return text
}

// What plain Go has at the lower end of a goroutine's stack, and below an
// example, as program counters, and the file with testing.(*T).Run: set by rt/drive.
var (
	GoexitCallers  []uintptr
	ExampleCallers []uintptr
	TestingFile    = "testing.go"
)

// callersBelow puts the frames that plain Go would have in the place of heddle's at the lower end
// of a stack.
func (s *Sched) callersBelow(pcs []uintptr, n int) int {
	s.enter()
	defer s.leave()
	for i, pc := range pcs[:n] {
		f := runtime.FuncForPC(pc - 1)
		if f == nil {
			continue
		}
		switch name := f.Name(); name {
		case "testing.tRunner", "testing.fRunner":
			return i + 1 + copy(pcs[i+1:], GoexitCallers)
		case "testing.heddleExample":
			return i + copy(pcs[i:], ExampleCallers)
		case "heddlert/sched.(*Sched).start":
			return i + copy(pcs[i:], GoexitCallers)
		}
	}
	return n
}
