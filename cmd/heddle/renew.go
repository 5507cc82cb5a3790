package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heddle/clip"
	"heddle/engine/judge"
	"heddle/explore/why"
	"heddle/internal/norm"
	"heddle/report"
	"heddle/rt/wire"
)

// What becomes of clips when the code changes. A clip that still shows its finding stays as it is.
// Where the same bug shows at other places, the clip is renewed. Where the bug does not show any
// more, the clip is marked as fixed and stays as a regression test.

// How many executions are the least to call a bug fixed that shows in none of them, where not all
// interleavings are covered: fewestNear if the clip's switches were tried again at the nearest
// operations.
const (
	fewestNear  = 10
	fewestFixed = 1_000
)

// sameBug reports whether two clips of one test are of the same bug: of one kind, and about the
// same variable, object or message, or in the same functions under another name. Both have their
// places in terms of the source; those of old that this build still has also have their sites.
func sameBug(old, now *wire.Clip) bool {
	if old.Kind != now.Kind || old.Test != now.Test {
		return false
	}
	if clip.Name(old) == clip.Name(now) {
		return true
	}
	functions := func(c *wire.Clip) []string {
		return texts(c, func(p *wire.Place) string { return plainFunc(p.Func) })
	}
	switch old.Kind {
	case judge.TestFailure, judge.Panic:
		return shape(old.Message) == shape(now.Message) || old.Kind == judge.TestFailure &&
			samePlaces(old, now)
	case judge.Misuse:
		if shape(old.Message) != shape(now.Message) {
			return false
		}
	}
	if meet(texts(old, subject), texts(now, subject)) {
		return true
	}
	// under another name: the code has nothing left at the places of old
	gone := !slices.ContainsFunc(old.Places, func(p wire.Place) bool { return p.Site != 0 })
	return gone && slices.Equal(functions(old), functions(now))
}

// texts returns what text says of the places of a clip, sorted, each once.
func texts(c *wire.Clip, text func(*wire.Place) string) (all []string) {
	for i := range c.Places {
		if s := text(&c.Places[i]); s != "" {
			all = append(all, s)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// subject returns the last name in the source text of a place's object: n of c.n and of (*c).n[i].
func subject(p *wire.Place) string {
	s, _, _ := strings.Cut(p.Object, "[")
	s = strings.TrimRight(s, ")]. ")
	return s[strings.LastIndexAny(s, ".*&(")+1:]
}

// plainFunc returns a function without the numbers of its closures, which edits change.
func plainFunc(name string) string {
	if i := strings.Index(name, ".func"); i > 0 {
		return name[:i]
	}
	return name
}

// meet reports whether two lists have an element in common.
func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// samePlaces reports whether the places of two clips are the same lines of the same functions.
func samePlaces(a, b *wire.Clip) bool {
	return len(a.Places) > 0 && slices.EqualFunc(a.Places, b.Places, func(p, q wire.Place) bool {
		return p.Func == q.Func && p.Down == q.Down && p.Nth == q.Nth
	})
}

// shape returns a message without what changes from one execution to the next: numbers and quoted
// texts.
func shape(message string) string {
	var b strings.Builder
	for i, part := range strings.Split(message, `"`) {
		if i%2 == 0 {
			b.WriteString(part + `"`)
		}
	}
	return norm.Message(b.String())
}

// renew is called when a new clip was stored at path: clips that were there before, are of the same
// bug and do not show it any more give way. It returns where the new clip is in the end, whether
// there were any, and what to say.
func (f *clipFolder) renew(now *clip.File, path string) (at string, same bool, notes []string) {
	at = path
	for old, c := range f.kept {
		if !f.stale[old] || !sameBug(c, &now.Clip) {
			continue
		}
		f.shown(old)
		same = true
		if own := filepath.Base(old) != clip.Name(c) || !f.within(old); own && now.Store(old) == nil {
			if path != old && !f.stale[path] && f.kept[path] == nil {
				os.Remove(path) // the user has chosen a name or folder
			}
			at = old
		} else if old != path {
			os.Remove(old)
		}
		if c.Same {
			continue // it could not be followed, for another reason than the code
		}
		notes = append(notes, f.renewedText(c, old, at))
	}
	slices.Sort(notes)
	return at, same, notes
}

func (f *clipFolder) renewedText(c *wire.Clip, old, now string) string {
	text := "the bug of " + old + " still shows in the new code; the clip is renewed"
	if c.Fixed != "" {
		text = "the bug of " + old + ", which was fixed, is back; the clip is renewed"
	}
	if now != old {
		text += " as " + now
	}
	return text
}

// within reports whether a clip is in one of the folders that heddle keeps clips in.
func (f *clipFolder) within(path string) bool {
	dir := filepath.Dir(filepath.Dir(path))
	return dir == f.home || dir == f.instead
}

// mark changes the line of a clip's file that says that its bug is fixed, and how that was judged.
func mark(path, fixed string) error {
	file, err := clip.ReadFile(path)
	if err != nil {
		return err
	}
	file.Fixed = fixed
	return file.Store(path)
}

// judgedFixed says how a bug was judged to be fixed that does not show in a whole exploration of
// its test; "" if that is too little to say so.
func judgedFixed(near *wire.Near, t *report.TestResult) string {
	switch {
	case t.Complete:
		return t.CoveredBy()
	case t.Why.Is(why.Alone):
		return "nothing is left to interleave"
	case near.Reached > 0 && t.Executions >= fewestNear || t.Executions >= fewestFixed:
		return fmt.Sprintf("not shown by %s, %d of them near the clip",
			report.Plural(t.Executions, "execution"), near.Executions)
	}
	return ""
}

// back notes that a clip shows its finding, in case that was fixed before.
func (r *packageRun) back(test, path string) {
	r.clips.shown(path)
	c := r.clips.kept[path]
	if c == nil || c.Fixed == "" || mark(path, "") != nil {
		return
	}
	r.report.Record(&wire.Record{Type: "note", Test: test,
		Text: fmt.Sprintf("the bug of %s, which was fixed, is back", path)})
}

// settleClips says what became of the clips of a test that is over.
func (r *packageRun) settleClips(end *wire.Record) {
	if r.wanted != nil {
		return // the caller says it
	}
	t := &report.TestResult{Executions: end.Executions, Complete: end.Complete, Why: end.Why,
		Covering: end.Covering}
	if t.Covering == 0 {
		t.Covering = t.Executions
	}
	for _, near := range r.near[end.Test] {
		if c := r.clips.kept[near.Path]; c != nil && r.clips.stale[near.Path] {
			if text := r.settleClip(c, near, t, end.Result); text != "" {
				r.report.Record(&wire.Record{Type: "note", Test: end.Test, Text: text})
			}
		}
	}
}

// settleClip returns what to say of a clip that has not shown its finding; "": nothing.
func (r *packageRun) settleClip(c *wire.Clip, near *wire.Near, t *report.TestResult, result string) string {
	if c.Same {
		return fmt.Sprintf("%s does not show its finding here, though the code has not changed since it was recorded (heddle replay tries in other ways)", c.Path)
	}
	if c.Fixed != "" || len(r.found) > 0 || result == "skip" || result == "fail" {
		return "" // it was said, or other findings may keep this one from showing
	}
	fixed := judgedFixed(near, t)
	if fixed == "" || mark(c.Path, fixed) != nil {
		return ""
	}
	r.clips.shown(c.Path)
	return fmt.Sprintf("the bug of %s is fixed (%s); the clip stays as a regression test (heddle clips prune removes it)", c.Path, fixed)
}
