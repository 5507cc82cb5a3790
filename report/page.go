package report

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"heddle/report/timeline"
	"heddle/rt/wire"
)

// Page returns the page of a replay, for package timeline. found is the finding that the clip was
// kept for, as it was reported, or nil for the one that the replay showed. err is as for End.
func (p *Replay) Page(pkg string, found *Finding, err error) timeline.Finding {
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	b := p.builder(found)
	b.untilDecided()
	b.head(pkg)
	b.notes(err)
	b.columns()
	b.events()
	b.places()
	b.ends()
	b.key()
	b.files()
	return b.page
}

// Markdown returns the finding of a replay as Markdown. err is as for End.
func (p *Replay) Markdown(pkg string, err error) string {
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	b := p.builder(nil)
	b.notes(err)
	f := *b.finding
	f.Finding, f.ClipPath = b.withSteps(), cmp.Or(f.ClipPath, p.r.short(p.clip.Path))
	return p.r.markdown(pkg, p.clip.Test, f, b.page.Notes...)
}

// builder begins the page of a replay, see Page.
func (p *Replay) builder(found *Finding) *pageBuilder {
	b := &pageBuilder{r: p.r, replay: p, finding: cmp.Or(found, p.finding), shown: p.events}
	if b.finding == nil {
		b.finding = &Finding{Finding: p.r.resolve(&wire.Finding{Kind: p.clip.Kind, Message: p.clip.Message,
			Places: p.clip.Places}), ClipPath: p.r.short(p.clip.Path)}
	}
	return b
}

// A pageBuilder fills in a timeline.Finding part by part.
type pageBuilder struct {
	r       *Reporter
	replay  *Replay
	finding *Finding
	page    timeline.Finding

	marks  map[int]*wire.Place // of what the finding is about, by index in shown
	shown  []wire.Event        // of the replay: up to what decided, as in the table of the text
	column map[string]int      // by goroutine: index in page.Goroutines
	object map[int]int         // by wire.Event.Obj: index in page.Objects + 1
	where  []wire.Place        // of page.Events
	paths  map[int]int         // by wire.Event.Stack: index in page.Paths + 1
}

// untilDecided leaves the events that the table of the text has room for.
func (b *pageBuilder) untilDecided() {
	p := b.replay
	p.learnNames()
	lines := make([]line, len(p.events))
	for i := range p.events {
		lines[i] = p.line(&p.events[i])
	}
	lines, b.marks = b.r.upTo(p.finding, lines)
	b.shown = p.events[:len(lines)]
}

func (b *pageBuilder) head(pkg string) {
	f := b.finding
	b.page = timeline.Finding{
		Kind: f.Kind, Heading: heading(f.Finding), Message: clean(message(f.Finding)), Package: pkg,
		Test: b.replay.clip.Test, Clip: f.ClipPath,
		Editor: b.r.o.Editor,
	}
	e := b.explained()
	if b.page.Why = e.Why; e.Hint != "" {
		b.page.Right = []string{e.Hint}
	}
	if b.page.Clip == "" {
		b.page.Clip = b.r.short(b.replay.clip.Path)
	}
	if b.page.Clip != "" {
		b.page.Replay = b.r.replayLine(b.page.Clip)
	}
	if f.Executions > 0 {
		b.page.Facts = append(b.page.Facts, "in execution "+thousands(f.Executions))
	}
	b.page.Facts = append(b.page.Facts, switches(b.withSteps()))
	b.page.Text = f.Text
	if b.page.Text == "" {
		b.page.Text = b.r.explain(b.page.Test, Finding{Finding: b.withSteps(), ClipPath: b.page.Clip})
	}
	b.page.Output = clean(strings.TrimSpace(ownLines(b.page.Test,
		cmp.Or(f.Output, b.replay.output.String()))))
}

// explained returns the explanation of the finding, which needs the steps of the clip.
func (b *pageBuilder) explained() explanation {
	if b.finding.explained != nil {
		return *b.finding.explained
	}
	return b.r.explanation(b.withSteps())
}

// withSteps returns the finding with the steps of its clip, which a replay's own finding lacks.
func (b *pageBuilder) withSteps() *wire.Finding {
	f := *b.finding.Finding
	if len(f.Clip.Steps) == 0 {
		f.Clip = *b.replay.clip
	}
	return &f
}

// notes says in which way the page does not show the finding.
func (b *pageBuilder) notes(err error) {
	p := b.replay
	note := func(format string, args ...any) {
		b.page.Notes = append(b.page.Notes, clean(fmt.Sprintf(format, args...)))
	}
	switch {
	case p.diverged != "":
		note("the clip does not fit the code any more, and the steps below end where it stops to fit: %s", p.diverged)
	case p.finding == nil && err != nil:
		note("the test binary ended before the replay was over, so there may be no steps below: %v", err)
	case p.finding == nil && p.same:
		note("%s", unchanged)
	case p.finding == nil:
		note("the replay followed the clip, and nothing was wrong this time: the bug looks fixed")
	case p.finding.Kind != b.finding.Kind:
		note("the replay showed something else: %s", p.finding.Kind)
	}
	for _, n := range p.notes {
		note("%s", n)
	}
}

// columns lists the goroutines and where they were started.
func (b *pageBuilder) columns() {
	var names []string
	seen := map[string]bool{}
	add := func(g string) {
		if g != "" && !seen[g] {
			seen[g] = true
			names = append(names, g)
		}
	}
	for i := range b.shown {
		add(b.shown[i].G)
	}
	for _, p := range b.finding.Places {
		add(p.Goroutine)
	}
	for _, s := range b.finding.Stacks {
		add(s.Goroutine)
	}
	sortNames(names)
	b.column = map[string]int{}
	for i, n := range names {
		b.column[n] = i
		b.page.Goroutines = append(b.page.Goroutines, timeline.Goroutine{Name: oneLine(n)})
	}
}

func (b *pageBuilder) events() {
	b.object, b.paths = map[int]int{}, map[int]int{}
	b.replay.learnNames()
	names := map[int][]string{}
	var folded line // of the text's table, with the call that the events at hand are inside
	first := 0
	for i := range b.shown {
		e := &b.shown[i]
		w := b.replay.place(e)
		l := b.replay.line(e)
		l.marked = b.marks[i] != nil
		folds := b.r.folds(&l)
		if folds {
			w = l.step.Where
		}
		b.where = append(b.where, w)
		name := cmp.Or(nameAt(w), b.replay.names[e.Object])
		if e.Obj > 0 && name != "" && !slices.Contains(names[e.Obj], name) {
			names[e.Obj] = append(names[e.Obj], name)
		}
		if e.Child != "" {
			if g, ok := b.column[e.Child]; ok {
				b.page.Goroutines[g].From = b.r.position(w)
			}
		}
		op, _, _ := strings.Cut(e.Op, " ")
		ev := timeline.Event{
			Step: e.Step + 1,
			G:    b.column[e.G], Op: op, Arg: e.Arg, Text: b.replay.told(e, ""), Object: b.objectOf(e),
			Value:  oneLine(e.Value),
			Switch: e.Switch, Quiet: e.Quiet || b.r.std(w) || b.replay.goesOn(i),
			Where: b.r.position(w), Line: w.Line,
		}
		if e.Partner < len(b.shown) {
			ev.Partner = e.Partner + 1
		}
		switch {
		case folds && !e.Quiet && sameCall(&folded, &l):
			folded.more, ev.Quiet = l.num-folded.num, true
			b.page.Events[first].Text = b.r.row(&folded).whole
		case folds && !e.Quiet:
			folded, first = l, i
			ev.Text = b.r.row(&folded).whole
		case !e.Quiet:
			folded = line{}
		}
		if c, ok := b.column[e.Child]; ok && e.Child != "" {
			ev.Child = c + 1
		}
		ev.Stack = b.stackOf(e)
		b.page.Events = append(b.page.Events, ev)
	}
	b.nameObjects(names)
}

// stackOf returns the index of an event's stack on the page, or 0 if it is not known.
func (b *pageBuilder) stackOf(e *wire.Event) int {
	if len(e.Frames) > 0 {
		var frames []timeline.Frame
		for i := range e.Frames {
			if f := &e.Frames[i]; !internal(*f) {
				frames = append(frames, b.frame(f, shortFunc(f.Func)))
			}
		}
		b.page.Paths = append(b.page.Paths, frames)
		b.paths[e.Stack] = len(b.page.Paths)
	}
	return b.paths[e.Stack]
}

// objectOf returns the index of an event's object on the page, or 0 if it has none.
func (b *pageBuilder) objectOf(e *wire.Event) int {
	if e.Obj == 0 {
		return 0
	}
	if b.object[e.Obj] == 0 {
		kind, made, _ := strings.Cut(e.Object, " ")
		b.page.Objects = append(b.page.Objects,
			timeline.Object{Kind: kind, Name: "made by " + made, Cap: e.Cap})
		b.object[e.Obj] = len(b.page.Objects)
	}
	return b.object[e.Obj]
}

// nameObjects gives objects the source's names. The source may call one lock from.mu here and
// to.mu there, and two locks a.mu.
func (b *pageBuilder) nameObjects(names map[int][]string) {
	used := map[string]int{}
	for _, obj := range slices.Sorted(maps.Keys(b.object)) {
		o := &b.page.Objects[b.object[obj]-1]
		if n := names[obj]; len(n) > 0 {
			o.Name = oneLine(strings.Join(n[:min(3, len(n))], " = "))
		}
		used[o.Name]++
		if k := used[o.Name]; k > 1 {
			o.Name = fmt.Sprintf("%s (%d)", o.Name, k)
		}
	}
}

// places numbers the places of the finding and marks the events there.
func (b *pageBuilder) places() {
	for i, p := range b.finding.Places {
		w := p
		b.r.o.Resolve(&w)
		what := operation(w.Op, w.Object, "")
		if b.finding.Kind == "panic" || w.Op == "fails" {
			what = oneLine(strings.TrimSpace(w.Op + " " + w.Object))
		}
		b.page.Places = append(b.page.Places, b.place(&w, what))
		if e := b.eventAt(&w); e >= 0 {
			b.page.Events[e].Mark = i + 1
		}
	}
	for i := range b.finding.Stacks {
		b.page.Stacks = append(b.page.Stacks, b.stack(&b.finding.Stacks[i]))
	}
}

// place returns a place of the finding: where the user's code is, if the operation itself is inside
// the standard library.
func (b *pageBuilder) place(w *wire.Place, what string) timeline.Place {
	at, inside := *w, ""
	if u, ok := b.r.caller(*w, b.finding.Stacks); ok {
		at = u
		inside = strings.TrimSpace(shortFunc(w.Func) + " " + b.r.position(*w))
	}
	return timeline.Place{What: what, Goroutine: oneLine(w.Goroutine), File: b.r.short(at.File),
		Line: at.Line, Note: oneLine(w.Note), Inside: oneLine(inside), Path: b.path(at.File)}
}

// path returns the path of a file for the editor, or "" without one.
func (b *pageBuilder) path(file string) string {
	if b.r.o.Editor == "" || file == "" {
		return ""
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(b.r.o.Dir, file)
	}
	return file
}

// frame returns a line of a stack.
func (b *pageBuilder) frame(f *wire.Place, name string) timeline.Frame {
	return timeline.Frame{Func: oneLine(name), File: b.r.short(f.File), Line: f.Line, Std: b.r.std(*f),
		Path: b.path(f.File)}
}

// eventAt returns the index of the last event at a place, or -1 if there is none: a blocked
// operation has not happened.
func (b *pageBuilder) eventAt(p *wire.Place) int {
	for i := len(b.where) - 1; i >= 0; i-- {
		w, e := &b.where[i], &b.shown[i]
		if w.Line == p.Line && b.r.short(w.File) == b.r.short(p.File) && p.Line > 0 && e.G == p.Goroutine &&
			b.page.Events[i].Mark == 0 && sameOp(e.Op, p.Op) {
			return i
		}
	}
	return -1
}

// sameOp reports whether an event with operation event may be the operation of a place: the same
// one, an operation that includes the read or write, or the beginning of waiting for it.
func sameOp(event, place string) bool {
	op, _, _ := strings.Cut(event, " ")
	switch place {
	case "read":
		return op == place || op == "atomic-load" || op == "atomic-rmw"
	case "write":
		return op == place || op == "atomic-store" || op == "atomic-rmw"
	case "":
		return true
	}
	return op == place || event == "arrive to "+place
}

func (b *pageBuilder) stack(s *wire.Stack) timeline.Stack {
	out := timeline.Stack{Goroutine: oneLine(s.Goroutine), State: oneLine(s.State)}
	if b.finding.Kind == "data race" {
		out.State = "at its access"
	}
	for _, f := range s.Frames {
		if internal(f) {
			continue
		}
		out.Frames = append(out.Frames, b.frame(&f, shortFunc(f.Func)))
	}
	if p, ok := b.r.startOf(s); ok {
		out.Frames = append(out.Frames, b.frame(&p, "started at"))
	}
	return out
}

// ends says, as far as the finding tells, what the goroutines do that have not ended.
func (b *pageBuilder) ends() {
	f := b.finding
	switch f.Kind {
	case "deadlock", "leak", "livelock":
		for i := range f.Stacks {
			s := naming(f.Places, &f.Stacks[i])
			state := s.State
			if note := noteOf(f.Places, s); note != "" {
				state += ", " + held(note, s.Goroutine)
			}
			b.end(s.Goroutine, state)
		}
		for i, p := range f.Places {
			b.end(p.Goroutine, "waits: "+b.page.Places[i].What)
		}
	case "panic":
		if len(f.Stacks) > 0 {
			b.end(f.Stacks[0].Goroutine, "panics")
		}
		for _, p := range f.Places {
			b.end(p.Goroutine, "panics")
		}
	case "test failure":
		for _, p := range f.Places {
			b.end(p.Goroutine, "fails here")
		}
	}
}

// end sets what a goroutine does at the end, unless it is set.
func (b *pageBuilder) end(goroutine, state string) {
	if g, ok := b.column[goroutine]; ok && b.page.Goroutines[g].End == "" {
		b.page.Goroutines[g].End = oneLine(state)
		b.page.Goroutines[g].Bad = b.makes(goroutine)
	}
}

// makes reports whether the goroutine is a cause of the finding, not only affected by it.
func (b *pageBuilder) makes(goroutine string) bool {
	return b.finding.Core == 0 ||
		slices.ContainsFunc(b.finding.CorePlaces(),
			func(p wire.Place) bool { return p.Goroutine == goroutine })
}

// mostKeySame is how many steps on the objects of a finding are key steps.
const mostKeySame = 24

// key marks the steps that a reader needs to understand the finding: its own steps with their
// neighbours, both sides of switches, the last operations on its objects, and the begin and end of
// its goroutines.
func (b *pageBuilder) key() {
	ev := b.page.Events
	involved, objects := map[int]bool{}, map[int]bool{}
	for i := range b.finding.Places {
		if g, ok := b.column[b.finding.Places[i].Goroutine]; ok {
			involved[g] = true
		}
	}
	for i := range ev {
		if ev[i].Mark > 0 {
			objects[ev[i].Object] = true
			b.near(i, 2)
		}
		if ev[i].Switch {
			ev[i].Key = true
			b.near(i, 1)
			if i > 0 {
				ev[i-1].Key = true
			}
		}
		if ev[i].Child > 0 && involved[ev[i].Child-1] {
			ev[i].Key = true
		}
	}
	delete(objects, 0)
	last := map[int]int{}
	for i, same := len(ev)-1, 0; i >= 0; i-- {
		e := &ev[i]
		if objects[e.Object] && same < mostKeySame {
			e.Key = true
			same++
		}
		if involved[e.G] && last[e.G] < 3 && !e.Quiet {
			e.Key = true
			last[e.G]++
		}
	}
}

// near marks the n nearest loud events of the same goroutine on each side of i.
func (b *pageBuilder) near(i, n int) {
	ev := b.page.Events
	ev[i].Key = true
	for _, by := range [...]int{-1, 1} {
		for j, left := i+by, n; j >= 0 && j < len(ev) && left > 0; j += by {
			if ev[j].G == ev[i].G && !ev[j].Quiet {
				ev[j].Key = true
				left--
			}
		}
	}
}

// mostFiles is the largest number of files on a page.
const mostFiles = 60

// files adds the source around everything that is shown.
func (b *pageBuilder) files() {
	needed := map[string][]int{}
	var order []string
	need := func(w wire.Place) {
		if w.File == "" || w.Line == 0 {
			return
		}
		if needed[w.File] == nil {
			order = append(order, w.File)
		}
		needed[w.File] = append(needed[w.File], w.Line)
	}
	for _, p := range b.finding.Places {
		b.r.o.Resolve(&p)
		if u, ok := b.r.caller(p, b.finding.Stacks); ok {
			need(u)
		}
		need(p)
	}
	for i := range b.where {
		if !b.page.Events[i].Quiet {
			need(b.where[i])
		}
		if frames := b.shown[i].Frames; len(frames) > 0 {
			if u, ok := b.r.users(frames); ok {
				need(u)
			}
		}
	}
	index := map[string]int{}
	for _, file := range order[:min(len(order), mostFiles)] {
		text := sourceText(file)
		if text == nil {
			continue
		}
		name := b.r.short(file)
		if index[name] > 0 { // a file below Dir may have two paths
			continue
		}
		f := timeline.NewFile(name, text, needed[file])
		f.Path = b.path(file)
		b.page.Files = append(b.page.Files, f)
		index[name] = len(b.page.Files)
	}
	for i := range b.page.Events {
		e := &b.page.Events[i]
		if n := index[b.r.short(b.where[i].File)]; n > 0 && b.page.Files[n-1].Has(e.Line) {
			e.File, e.Where = n, ""
		} else {
			e.Line = 0
		}
	}
}
