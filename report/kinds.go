package report

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"heddle/rt/wire"
)

// A Kind is a kind of finding with its explanation.
type Kind struct {
	Name  string // as in events and clips
	Means string // one sentence
	Hint  string // which order would be right, or what to look at
}

// Kinds are all kinds of findings.
var Kinds = []Kind{
	{"data race", "two goroutines access the same memory at the same time, and at least one writes",
		"let one access wait for the other: by a lock held around both, a channel, or an atomic"},
	{"deadlock", "goroutines wait for each other, and none can ever go on",
		"take locks in one order everywhere, and make sure that every send has a receiver and every Wait its Done"},
	{"leak", "the test is over, and a goroutine is still there that can never go on",
		"give the goroutine a way to end: close its channel, cancel its context, or make room in the channel it sends to"},
	{"panic", "the program panics in this order of its goroutines",
		"look for what another goroutine changed between two steps of the one that panics"},
	{"test failure", "the test fails in this order of its goroutines",
		"look for what another goroutine changed between two steps that count on each other, in the program or in the test"},
	{"misuse", "a synchronisation object is used in a way its documentation forbids",
		"see the documentation of the package for the rule"},
	{"atomicity violation", "another goroutine comes between operations that belong together",
		"hold one lock from the first of the operations to the last"},
	{"serializability violation", "two groups of operations mix, and no order of whole groups gives the same result",
		"hold one lock around each group"},
	{"livelock", "goroutines run for ever without getting anywhere, or the bound on steps was reached",
		"find what the loop waits for and which goroutine should change it; a longer test needs a larger bound"},
	{"divergence", "the same schedule led to different operations: something outside heddle's control decides",
		"look for state that survives an execution, files, sockets, the real clock, or a seed of the program's own"},
	{"uncontrolled", "a call that heddle cannot control blocks: this test was not explored",
		"put the call behind something a test can replace, or leave the test out with -skip"},
	{"reached", "an execution came to the moment that was asked for (heddle ask): no bug by itself",
		"the steps show one way to get there"},
}

// KindOf returns the row of a kind. For an unknown kind it has only the name.
func KindOf(name string) Kind {
	for _, k := range Kinds {
		if k.Name == name {
			return k
		}
	}
	return Kind{Name: name}
}

// hint returns what to look at where no pattern says it, or "".
func hint(f *wire.Finding) string {
	if f.Kind == "deadlock" || f.Kind == "leak" {
		return waitHint(f)
	}
	if (f.Kind == "panic" || f.Kind == "test failure") && f.InputFile != "" && f.Switches == 0 {
		if startsOthers(f) {
			return "this needs the input and no switch of goroutines: go test may fail with it too, if those that are started come no sooner"
		}
		return "this needs no switch of goroutines: the input is the cause, and go test fails with it too"
	}
	if f.Kind == "uncontrolled" && len(f.Stacks) > 0 && strings.HasPrefix(f.Stacks[0].State, "(run") {
		return "look for what ends the loop; if it only takes long, a greater -hang waits for it"
	}
	switch f.Kind {
	case "panic", "test failure", "misuse": // it depends on the pattern, and none was recognised
		return ""
	}
	return KindOf(f.Kind).Hint
}

// startsOthers reports whether a goroutine is started in the steps of a finding, beside main and
// those of package testing.
func startsOthers(f *wire.Finding) bool {
	return slices.ContainsFunc(f.Clip.Steps, func(s wire.Step) bool {
		in := path.Base(path.Dir(filepath.ToSlash(s.Where.File)))
		return (s.Op == "start" || s.Op == "go") && s.Where.File != "" && in != "testing"
	})
}

// message returns one sentence about what went wrong.
func message(f *wire.Finding) string {
	text := f.Message
	if text == "" {
		text = KindOf(f.Kind).Means
		if o := object(f); o != "" {
			text = strings.Replace(text, "the same memory", o, 1)
		}
	}
	if f.Early != "" {
		text += "; " + f.Early + ", as on a machine where the other goroutines are slow"
	}
	return text
}
