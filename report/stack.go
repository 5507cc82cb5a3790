package report

import (
	"fmt"
	"strings"

	"heddle/rt/wire"
)

const mostFrames = 8

// stacks explains the goroutines of a finding. Goroutines that wait in the same way at the same
// place are shown once.
func (r *Reporter) stacks(f *wire.Finding) []string {
	var groups [][]string
	alike := map[string]int{}    // index of the group, by the explanation without the name
	others := map[int][]string{} // further names, by group
	for i := range f.Stacks {
		s := &f.Stacks[i]
		lines := r.stack(naming(f.Places, s), noteOf(f.Places, s))
		key := strings.Replace(strings.Join(lines, "\n"), "goroutine "+s.Goroutine+" ", "", 1)
		if g, ok := alike[key]; ok && !r.o.Verbose && (f.Kind == "leak" || f.Kind == "deadlock") {
			others[g] = append(others[g], s.Goroutine)
			continue
		}
		alike[key] = len(groups)
		groups = append(groups, lines)
	}
	var out []string
	for g, lines := range groups {
		switch names := others[g]; {
		case len(names) == 1:
			lines[0] += "; so does " + oneLine(names[0])
		case len(names) > 1:
			lines[0] += "; so do " + oneLine(strings.Join(names[:min(len(names), mostNames)], ", "))
			if more := len(names) - mostNames; more > 0 {
				lines[0] += " and " + thousands(more) + " more"
			}
		}
		out = append(out, lines...)
	}
	return out
}

// mostNames is how many goroutines of a group are named.
const mostNames = 4

// stack explains one goroutine: its state, its frames, where it was started.
//
//	goroutine main/1 waits to lock b, which main/2 holds
//	  lockBoth              bank.go:12       b.Lock()
//	  (2 frames of the standard library)
//	  started at            bank_test.go:15  go lockBoth(&a, &b)
func (r *Reporter) stack(s *wire.Stack, note string) []string {
	head := "goroutine " + s.Goroutine
	if s.State != "" {
		head += " " + oneLine(s.State)
	}
	if note != "" {
		head += ", " + oneLine(held(note, s.Goroutine))
	}
	var rows [][]string
	hidden, frames := 0, 0 // frames of the standard library since the user's last one; frames of the user
	fold := func() {
		if hidden > 0 {
			rows = append(rows,
				[]string{fmt.Sprintf("(%s of the standard library)", plural(hidden, "frame"))})
		}
		hidden = 0
	}
	all, more := recursion(s.Frames)
	for i, p := range all {
		switch {
		case internal(p):
			continue
		case r.std(p) && !r.o.Verbose:
			hidden++
			continue
		case frames == mostFrames && !r.o.Verbose:
			rows = append(rows,
				[]string{fmt.Sprintf("(%s more, -v shows them)", plural(len(all)-i, "frame"))})
		default:
			if frames > 0 { // those above the user's first frame only say how the goroutine waits
				fold()
			}
			hidden = 0
			rows = append(rows, []string{shortFunc(p.Func), r.position(p), r.source(p)})
			if more[i] > 0 {
				rows = append(rows, []string{fmt.Sprintf("(the same, %s more)", plural(more[i], "time"))})
			}
		}
		if frames++; frames > mostFrames && !r.o.Verbose {
			break
		}
	}
	if frames == 0 { // only frames of the standard library
		fold()
	}
	if start := r.started(s); start != nil {
		rows = append(rows, append([]string{"started at"}, start...))
	}
	out := []string{head}
	for _, l := range columns(onePerLine(rows)) {
		out = append(out, "  "+l)
	}
	return out
}

// recursion keeps of frames in which a function calls itself at one place only the first, and
// returns how many more there were.
func recursion(fs []wire.Place) (once []wire.Place, more []int) {
	for i, f := range fs {
		if i > 0 && f.Func == fs[i-1].Func && f.File == fs[i-1].File && f.Line == fs[i-1].Line {
			more[len(more)-1]++
			continue
		}
		once, more = append(once, f), append(more, 0)
	}
	return once, more
}

// held turns the note of a lock, "held by main/2" or "wanted by main/2", into the end of a
// sentence.
func held(note, by string) string {
	if writer, ok := strings.CutPrefix(note, "wanted by "); ok && writer == by {
		return "which readers hold"
	} else if ok {
		return "which " + writer + " waits to write: new readers come after it"
	}
	who, ok := strings.CutPrefix(note, "held by ")
	how := ""
	if readers, reading := strings.CutPrefix(note, "held for reading by "); reading {
		who, ok, how = readers, true, " for reading"
	}
	switch {
	case !ok:
		return note
	case who == by:
		return "which it holds itself" + how
	}
	return "which " + who + " " + verbFor(who) + how
}

func verbFor(who string) string {
	if strings.Contains(who, ", ") {
		return "hold"
	}
	return "holds"
}

// onePerLine keeps remarks from widening the first column: a row of one cell is set apart.
func onePerLine(rows [][]string) [][]string {
	w := 0
	for _, r := range rows {
		if len(r) > 1 {
			w = max(w, width(r[0]))
		}
	}
	for i, r := range rows {
		if len(r) > 1 {
			rows[i] = append([]string{fill(r[0], w) + "  " + r[1]}, r[2:]...)
		}
	}
	w = 0
	for _, r := range rows {
		if len(r) > 1 {
			w = max(w, width(r[0]))
		}
	}
	for i, r := range rows {
		if len(r) > 1 {
			rows[i] = []string{fill(r[0], w) + "  " + strings.Join(r[1:], "  ")}
		}
	}
	return rows
}

// started returns position and source of the go statement of a stack's goroutine, or nil if
// unknown.
func (r *Reporter) started(s *wire.Stack) []string {
	p, ok := r.startOf(s)
	if !ok {
		return nil
	}
	return []string{r.position(p), r.source(p)}
}

// startOf returns the place of the go statement of a stack's goroutine. If that is in the standard
// library (WaitGroup.Go, subtests, functions of timers), it returns the user's call that led
// there.
func (r *Reporter) startOf(s *wire.Stack) (p wire.Place, ok bool) {
	p = wire.Place{Site: s.Site}
	if s.Site != 0 {
		r.o.Resolve(&p)
	}
	if u, ok := r.users(s.Start); ok && (p.File == "" || r.std(p)) {
		p = u
	}
	return p, p.File != ""
}

// users returns the user's first frame.
func (r *Reporter) users(frames []wire.Place) (wire.Place, bool) {
	for _, p := range frames {
		if !internal(p) && !r.std(p) && p.File != "" {
			return p, true
		}
	}
	return wire.Place{}, false
}

// internal reports whether a frame belongs to heddle.
func internal(p wire.Place) bool {
	return strings.HasPrefix(p.Func, "heddlert/") || strings.Contains(p.File, "/heddlert/")
}

// shortFunc returns a function's name without the folders of its package.
func shortFunc(f string) string {
	if i := strings.LastIndexByte(f, '/'); i >= 0 && !strings.ContainsAny(f[:i], "[(") {
		f = f[i+1:]
	}
	return oneLine(f)
}
