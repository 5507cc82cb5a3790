package report

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"heddle/rt/wire"
)

// A Replay prints the table of one replay:
//
//	r := report.New(options).Replay(clip)
//	r.Record(rec)        // every record of the test binary
//	os.Exit(r.End(err))  // 1: the finding is there; 0: it is not; 2: the clip does not fit
type Replay struct {
	r         *Reporter
	clip      *wire.Clip
	events    []wire.Event
	output    strings.Builder
	notes     []string
	finding   *Finding
	diverged  string
	sequence  string            // of a sequence: how far the replay followed it
	unsettled bool              // of a sequence: not every order was tried
	same      bool              // the code has not changed since the recording
	executed  bool              // the test binary reported how the replay went
	judged    *Judgement        // nil: the bug was not searched for
	names     map[string]string // of objects, by their allocation
}

// Replay starts the report of a replay of clip.
func (r *Reporter) Replay(clip *wire.Clip) *Replay { return &Replay{r: r, clip: clip} }

// Record takes a record of the test binary.
func (p *Replay) Record(rec *wire.Record) {
	switch rec.Type {
	case "event":
		if rec.Event != nil {
			p.events = append(p.events, *rec.Event)
		}
	case "output":
		p.output.WriteString(rec.Text)
	case "note":
		p.notes = append(p.notes, p.r.noteText(rec))
	case "replayed", "finding", "end":
		switch rec.Result {
		case "diverged":
			p.diverged = rec.Reason
		case "unusable": // for any code
			p.diverged, p.same = rec.Reason, false
		case "infeasible":
			p.sequence, p.unsettled = rec.Reason, !rec.Complete
		}
		p.executed = p.executed || rec.Type != "end" || rec.Executions > 0
		p.found(rec.Finding)
		if rec.Type == "end" && rec.Result == "fail" && p.finding == nil && p.diverged == "" {
			p.found(&wire.Finding{Kind: "test failure", Message: rec.Reason})
		}
	}
}

// Unchanged tells p that the code has not changed since the recording, although no replay showed
// the finding.
func (p *Replay) Unchanged() { p.same = true }

// unchanged is the message for that case.
const unchanged = "the code has not changed since the clip was recorded, so the bug is still there, but no replay shows it; either something else that decides has changed, such as files, the environment or real time, or heddle is wrong"

func (p *Replay) found(f *wire.Finding) {
	switch {
	case f == nil:
	case f.Divergence != "":
		p.diverged = f.Divergence
	case f.Kind == "divergence":
		p.diverged = message(f)
	case p.finding == nil || p.finding.Kind != p.clip.Kind && f.Kind == p.clip.Kind:
		p.finding = &Finding{Finding: p.resolved(f)}
	}
}

// resolved is resolve for a finding whose steps are the events.
func (p *Replay) resolved(f *wire.Finding) *wire.Finding {
	if len(f.Clip.Steps) > 0 {
		return p.r.resolve(f)
	}
	c := *f
	c.Clip.Steps = p.steps()
	out := p.r.resolve(&c)
	for i, s := range out.Clip.Steps {
		p.events[i].Where = s.Where
	}
	out.Clip.Steps = nil
	return out
}

// steps returns the events as steps.
func (p *Replay) steps() []wire.Step {
	steps := make([]wire.Step, len(p.events))
	for i := range p.events {
		e := &p.events[i]
		op, _, _ := strings.Cut(e.Op, " ")
		steps[i] = wire.Step{G: e.G, Op: op, Choice: -1, Where: e.Where}
		p.r.o.Resolve(&steps[i].Where)
	}
	return steps
}

// End prints the table and the result, and returns the exit code. err says how the test binary
// ended, if not with exit code 0.
func (p *Replay) End(err error) int {
	r := p.r
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	if p.clip.Test != "" {
		b.WriteString(strings.TrimRight(fmt.Sprintf("=== REPLAY %s  %s", p.clip.Test,
			oneLine(r.short(p.clip.Path))), " ") + "\n")
	}
	var rows []row
	if p.judged == nil || r.o.Verbose {
		rows = p.rows()
	}
	for _, l := range table(rows, r.o.Width) {
		b.WriteString(l + "\n")
	}
	b.WriteString(p.legend(rows))
	out := strings.TrimSpace(p.output.String())
	if out != "" && (r.o.Verbose || p.finding == nil && p.judged == nil) {
		b.WriteString("\noutput\n" + indent(2, clean(r.cut(out))))
	}
	for _, n := range p.notes {
		b.WriteString("note: " + clean(n) + "\n")
	}
	b.WriteByte('\n')
	code := p.verdict(&b, err)
	r.print(b.String())
	return code
}

func (p *Replay) verdict(b *strings.Builder, err error) int {
	if p.clip.Sequence && p.executed && err == nil {
		if p.unsettled {
			fmt.Fprintf(b, "Cannot tell whether the sequence is allowed: %s\n", clean(p.sequence))
			return 2
		}
		if p.sequence != "" {
			fmt.Fprintf(b, "The sequence is not allowed: %s\n", clean(p.sequence))
			return 2
		}
		fmt.Fprintf(b, "The sequence is allowed: %s made its %s in this order\n", p.clip.Test,
			plural(len(p.clip.Steps), "step"))
		if p.finding == nil {
			return 0
		}
	}
	switch {
	case p.judged != nil && err == nil && !(p.same && !p.judged.Other):
		return p.verdictOf(b, p.judged)
	case p.diverged != "" && p.same:
		fmt.Fprintf(b, "Cannot tell: %s; the first replay %s\n", unchanged, clean(p.diverged))
		return 2
	case p.diverged != "":
		fmt.Fprintf(b, "The clip does not fit the code: %s\n", clean(p.diverged))
		return 2
	case p.finding != nil:
		f := *p.finding
		f.Clip.Steps = nil // the table has shown them
		b.WriteString(p.r.boldHead(p.r.explain(p.clip.Test, f)))
		if p.clip.Kind != "" && f.Kind != p.clip.Kind {
			fmt.Fprintf(b, "    note    the clip was kept for another finding: %s\n", p.clip.Kind)
		}
		return 1
	case err != nil:
		fmt.Fprintf(b, "The test binary ended before the replay was over: %s\n", clean(err.Error()))
		return 2
	case !p.executed:
		fmt.Fprintf(b, "The test %s was not run: is it still there? (heddle clips prune deletes clips of tests that are gone)\n", oneLine(p.clip.Test))
		return 2
	}
	if p.same {
		fmt.Fprintf(b, "Cannot tell: %s\n", unchanged)
		return 2
	}
	b.WriteString("followed the clip: nothing wrong (the bug looks fixed)\n")
	return 0
}

const mostEvents = 400 // shown by a replay without -v

// rows returns the rows of the events that are shown: with -v those of all, else as the table of a
// finding has them, with more room.
func (p *Replay) rows() []row {
	if p.finding != nil {
		p.r.explained(p.finding)
	}
	all := p.r.folded(p.finding, p.lines())
	shown := map[int]bool{}
	if p.r.o.Verbose {
		for i := range all {
			shown[i] = true
		}
	} else {
		shown = p.r.choose(p.finding, all, mostEvents, true)
	}
	steps, n := p.quiet()
	rows := p.r.rowsOf(all, shown, steps)
	if n > 0 {
		text := fmt.Sprintf("(%s inside the standard library left out, -v shows them)", plural(n, "step"))
		rows = append(rows, row{gap: text})
	}
	return rows
}

// quiet returns the numbers of the steps that lines leaves out, and how many events these are.
func (p *Replay) quiet() (steps []int, n int) {
	if p.r.o.Verbose {
		return nil, 0
	}
	loud := 0 // the number of the last step that is not left out
	for i := range p.events {
		switch e := &p.events[i]; {
		case !quietly(e):
			if loud = e.Step + 1; len(steps) > 0 && steps[len(steps)-1] == loud {
				steps = steps[:len(steps)-1]
			}
		default:
			n++
			if k := e.Step + 1; k != loud && (len(steps) == 0 || steps[len(steps)-1] != k) {
				steps = append(steps, k)
			}
		}
	}
	return steps, n
}

// quietly reports whether a step is omitted without a line in its place.
func quietly(e *wire.Event) bool { return e.Quiet || !e.Switch && ofConnection(e.Op, e.Where) }

// lines returns the events before they are folded: without -v those that are not quiet. To come to
// an operation and to perform it at once is one line, and so are the cases of a select that waits.
func (p *Replay) lines() []line {
	p.learnNames()
	var out []line
	for i := range p.events {
		e := &p.events[i]
		if quietly(e) && !p.r.o.Verbose || p.goesOn(i) {
			continue
		}
		out = append(out, p.line(e))
	}
	return out
}

// goesOn reports whether the event after i of the same step performs what event i came to, or
// whether event i waits at one more case of a select.
func (p *Replay) goesOn(i int) bool {
	e := &p.events[i]
	same := func(k int) bool {
		return k >= 0 && k < len(p.events) && p.events[k].G == e.G && p.events[k].Step == e.Step &&
			p.events[k].Where == e.Where && !p.events[k].Quiet
	}
	arrives := func(k int) bool { return strings.HasPrefix(p.events[k].Op, "arrive") }
	switch {
	case arrives(i):
		return same(i-1) && arrives(i-1) || same(i+1) && !arrives(i+1)
	case e.Op == "select":
		return same(i+1) && p.events[i+1].Case > 0
	}
	return false
}

// line returns an event as a line.
func (p *Replay) line(e *wire.Event) line {
	op, _, _ := strings.Cut(e.Op, " ")
	l := line{num: e.Step + 1, text: p.describe(e, e.Value)}
	l.step = wire.Step{G: e.G, Op: op, Choice: -1, Where: p.place(e), Switch: e.Switch, Call: e.Call}
	if op == "arrive" {
		l.step.Came = wire.CameWaits
	}
	return l
}

// place returns where an event is, with the source's name of its object.
func (p *Replay) place(e *wire.Event) wire.Place {
	w := e.Where
	p.r.o.Resolve(&w)
	op, _, _ := strings.Cut(e.Op, " ")
	w.Object = p.r.ofCond(op, w)
	return w
}

// inside returns the package of the standard library that a step is in, or "" for the user's code.
func (p *Replay) inside(e *wire.Event) string {
	w := p.place(e)
	switch {
	case p.r.std(w):
		return path.Dir(filepath.ToSlash(p.r.short(w.File)))
	case e.Call != nil && p.r.foreign(w.File):
		return packageOf(e.Call.Op)
	}
	return ""
}

// learnNames records the source's name of an object at one place for the places without name: a
// deferred call is made at the end of its function.
func (p *Replay) learnNames() {
	p.names = map[string]string{}
	for i := range p.events {
		e := &p.events[i]
		if name := nameAt(p.place(e)); e.Object != "" && name != "" && p.names[e.Object] == "" {
			p.names[e.Object] = name
		}
	}
}

// nameAt returns the source's name of the object of an operation, or "" if there is none or, in a
// select, several.
func nameAt(w wire.Place) string {
	if strings.Contains(w.Object, "<-") {
		return ""
	}
	return w.Object
}

// legend says what the marks of a table mean.
func (p *Replay) legend(rows []row) string {
	var marks []string
	if slices.ContainsFunc(rows, func(r row) bool { return r.mark }) {
		marks = append(marks, "* "+starred(rows))
	}
	if slices.ContainsFunc(rows, func(r row) bool { return r.about }) {
		marks = append(marks, "> "+markedAs(p.finding.Finding))
	}
	if len(marks) == 0 {
		return ""
	}
	return "(" + strings.Join(marks, ", ") + ")\n"
}

// numberOnce leaves a step its number in the first of its rows: the events of one step are one
// step in the tables of findings too, and in what is said of a clip that diverges.
func numberOnce(rows []row) {
	last := 0
	for i := range rows {
		switch n := rows[i].num; {
		case n > 0 && n == last:
			rows[i].num = 0
		case n > 0:
			last = n
		}
	}
}

// describe returns the text of an event with the source's name of its object. value may be "". That
// it waits is not in it.
func (p *Replay) describe(e *wire.Event, value string) string {
	w := p.place(e)
	object := cmp.Or(nameAt(w), p.names[e.Object], w.Object, e.Object) // e.Object describes the allocation
	op, arg, _ := strings.Cut(e.Op, " ")
	switch {
	case op == "wg-add" && arg != "":
		w.Object = cmp.Or(nameAt(w), p.names[e.Object])
		return p.r.added(w, e.Arg)
	case op == "select" && e.Step >= 0:
		return strings.TrimSpace(p.r.selected(w, int(e.Arg), 0) + " " + oneLine(value))
	case (op == "send" || op == "recv") && e.Case > 0 && p.r.parsed.Cases(w.File, w.Line) != nil:
		if text := p.r.selected(w, e.Case-1, e.Cases); text != "select" && (op == "send" || value == "") {
			return text
		} else if text != "select" {
			return strings.TrimSpace(text+" "+arg) + " = " + oneLine(value)
		}
	case op == "arrive" && p.r.parsed.Cases(w.File, w.Line) != nil:
		return "select"
	case op == "arrive":
		return operation(strings.TrimPrefix(arg, "to "), object, value)
	case op == "start" && p.r.byGo(w) != "":
		return "start"
	}
	if e.Op == "resume" {
		return resumed(w.Op, object)
	}
	return operation(e.Op, object, value)
}

// told is describe, and whether the goroutine waits.
func (p *Replay) told(e *wire.Event, value string) string {
	if text := p.describe(e, value); !strings.HasPrefix(e.Op, "arrive") {
		return text
	} else {
		return text + " (waits)"
	}
}
