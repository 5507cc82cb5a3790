package report

import (
	"cmp"
	"fmt"
	"maps"
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
	r        *Reporter
	clip     *wire.Clip
	events   []wire.Event
	output   strings.Builder
	notes    []string
	finding  *Finding
	diverged string
	sequence string            // of a sequence: how far the replay followed it
	same     bool              // the code has not changed since the recording
	executed bool              // the test binary reported how the replay went
	judged   *Judgement        // nil: the bug was not searched for
	names    map[string]string // of objects, by their allocation
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
			p.sequence = rec.Reason
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

// rows returns the rows of the events that are shown.
func (p *Replay) rows() []row {
	var rows []row
	p.untilDecided()
	marks := p.marks()
	keep := p.kept()
	for i := range marks {
		keep[i] = true
	}
	p.learnNames()
	quiet := 0
	for i := 0; i < len(p.events); {
		if quietly(&p.events[i]) && !keep[i] {
			quiet++
			i++
			continue
		}
		if keep[i] {
			rows = append(rows, p.row(&p.events[i]))
			if place := marks[i]; place != nil {
				last := &rows[len(rows)-1]
				last.about = true
				if u, ok := p.r.caller(*place, p.finding.Stacks); ok {
					last.where, last.source = p.r.position(u), p.r.source(u)
				}
			}
			i++
			continue
		}
		if n := p.calls(i, keep); n > 0 {
			rows = append(rows, p.folded(i, n))
			i += n
			continue
		}
		n, loud, in := i, 0, map[string]bool{}
		for ; n < len(p.events) && !keep[n] && (n == i || p.calls(n, keep) == 0); n++ {
			if !quietly(&p.events[n]) {
				loud++
				in[p.inside(&p.events[n])] = true
			}
		}
		rows = append(rows, row{gap: leftOut(loud, in)})
		i = n
	}
	rows = append(rows, p.withoutStep(marks)...)
	numberOnce(rows)
	if quiet > 0 {
		rows = append(rows,
			row{gap: fmt.Sprintf("(%s inside the standard library left out, -v shows them)",
				plural(quiet, "step"))})
	}
	return rows
}

// leftOut returns the line in place of n steps that are not shown. in has the packages of the
// standard library that they are in, "" for the user's.
func leftOut(n int, in map[string]bool) string {
	if in[""] {
		return fmt.Sprintf("... %s left out (-v shows them)", plural(n, "step"))
	}
	names := slices.Sorted(maps.Keys(in))
	return fmt.Sprintf("... %s inside %s", plural(n, "step"), strings.Join(names, ", "))
}

// quietly reports whether a step is omitted without a line in its place.
func quietly(e *wire.Event) bool { return e.Quiet || !e.Switch && ofConnection(e.Op, e.Where) }

// inside returns the package of the standard library that a step is in, or "" for the user's code.
func (p *Replay) inside(e *wire.Event) string {
	w := e.Where
	p.r.o.Resolve(&w)
	switch {
	case p.r.std(w):
		return path.Dir(filepath.ToSlash(p.r.short(w.File)))
	case e.Call != nil && p.r.foreign(w.File):
		return packageOf(e.Call.Op)
	}
	return ""
}

// kept marks the events that are shown. With -v that is every event. Without, quiet events and
// those of the standard library alone are omitted, and of a long execution only the surroundings
// of switches and the end are shown.
func (p *Replay) kept() []bool {
	keep := make([]bool, len(p.events))
	loud := 0
	for i := range p.events {
		e := &p.events[i]
		keep[i] = p.r.o.Verbose ||
			!quietly(e) && (e.Switch && e.Call == nil || i == len(p.events)-1 || p.inside(e) == "")
		if keep[i] {
			loud++
		}
	}
	if p.r.o.Verbose {
		return keep
	}
	if loud > mostEvents {
		p.around(keep)
	}
	return keep
}

// around keeps the events near switches and the end, later ones first.
func (p *Replay) around(keep []bool) {
	near := make([]bool, len(keep))
	left := mostEvents
	for i := len(keep) - 1; i >= 0 && left > 0; i-- {
		if !p.events[i].Switch && i < len(keep)-20 {
			continue
		}
		for j := max(0, i-2); j <= min(i+2, len(keep)-1); j++ {
			if !near[j] {
				near[j] = true
				left--
			}
		}
	}
	for i := range keep {
		keep[i] = keep[i] && near[i]
	}
}

// learnNames records the source's name of an object at one place for the places without name: a
// deferred call is made at the end of its function.
func (p *Replay) learnNames() {
	p.names = map[string]string{}
	for i := range p.events {
		e := &p.events[i]
		w := e.Where
		p.r.o.Resolve(&w)
		if name := nameAt(w); e.Object != "" && name != "" && p.names[e.Object] == "" {
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

func (p *Replay) row(e *wire.Event) row {
	w := e.Where
	p.r.o.Resolve(&w)
	return row{num: e.Step + 1, g: e.G, text: p.describe(e, e.Value), mark: e.Switch, where: p.r.position(w),
		source: p.r.source(w)}
}

// untilDecided drops the events after the one that the finding is known from.
func (p *Replay) untilDecided() {
	if p.finding == nil || p.r.o.Verbose || p.finding.Decided == 0 || p.finding.Kind == "leak" {
		return
	}
	n := len(p.events)
	for n > 0 && p.events[n-1].Step >= p.finding.Decided {
		n--
	}
	p.events = p.events[:n]
}

// marks returns the places of the finding by the index of their event, and drops what comes after
// an access that races.
func (p *Replay) marks() map[int]*wire.Place {
	if p.finding == nil {
		return nil
	}
	at := p.r.markedSteps(p.finding.Finding, p.steps())
	if p.finding.Kind == "data race" && len(at) == 2 && !p.r.o.Verbose {
		p.events = p.events[:1+slices.Max(slices.Collect(maps.Keys(at)))]
	}
	return at
}

// withoutStep returns the rows of what the finding is about and no event shows: the lock that was
// never taken, the call that failed.
func (p *Replay) withoutStep(marks map[int]*wire.Place) []row {
	if p.finding == nil {
		return nil
	}
	var rows []row
	for _, l := range p.r.withoutStep(p.finding.Finding, marks, nil) {
		rows = append(rows, p.r.row(&l))
	}
	return rows
}

// calls returns how many of the events from i on one call of the user's code made inside the
// standard library or a dependency.
func (p *Replay) calls(i int, keep []bool) int {
	n, first := 0, &p.events[i]
	for ; i+n < len(p.events) && !keep[i+n]; n++ {
		e := &p.events[i+n]
		if e.Call == nil || first.Call == nil || e.G != first.G || e.Call.File != first.Call.File ||
			e.Call.Line != first.Call.Line || n > 0 && e.Switch {
			break
		}
	}
	return n
}

// folded returns the row of n events from i on, of one call.
func (p *Replay) folded(i, n int) row {
	first, last := &p.events[i], &p.events[i+n-1]
	l := line{step: wire.Step{G: first.G, Op: first.Op, Where: *first.Call, Switch: first.Switch},
		num: first.Step + 1, more: max(0, last.Step-first.Step), inside: packageOf(first.Call.Op)}
	l.step.Where.Op = ""
	return p.r.row(&l)
}

// legend says what the marks of a table mean.
func (p *Replay) legend(rows []row) string {
	var marks []string
	if slices.ContainsFunc(rows, func(r row) bool { return r.mark }) {
		marks = append(marks, "* the scheduler switched")
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

// describe returns the text of an event with the source's name of its object. value may be "".
func (p *Replay) describe(e *wire.Event, value string) string {
	w := e.Where
	p.r.o.Resolve(&w)
	object := cmp.Or(nameAt(w), p.names[e.Object], w.Object, e.Object) // e.Object describes the allocation
	op, arg, _ := strings.Cut(e.Op, " ")
	switch {
	case op == "wg-add" && arg != "":
		w.Object = cmp.Or(nameAt(w), p.names[e.Object])
		return p.r.added(w, e.Arg)
	case op == "select" && e.Step >= 0:
		return strings.TrimSpace(p.r.selected(w, int(e.Arg)) + " " + oneLine(value))
	case op == "start" && p.r.byGo(w) != "":
		return "start"
	}
	if e.Op == "resume" {
		return resumed(w.Op, object)
	}
	return operation(e.Op, object, value)
}
