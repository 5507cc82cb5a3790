package report

import (
	"strings"

	"heddle/rt/wire"
)

// A Kind is a kind of finding, with what a reader who has never heard of heddle needs to know.
type Kind struct {
	Name  string // as in events and clips
	Means string // one sentence
	Hint  string // what order would have been right, or what to look at
}

// Kinds are all kinds of findings (section 7 of the design).
var Kinds = []Kind{
	{"data race", "two goroutines access the same memory at the same time, and at least one writes",
		"let one wait for the other: a lock held around both accesses, a channel, or an atomic"},
	{"deadlock", "goroutines wait for each other, and none can ever go on",
		"take locks in one order everywhere, and make sure that every send has a receiver and every Wait its Done"},
	{"leak", "the test is over, and a goroutine is still there that can never go on",
		"give the goroutine a way to end: close its channel, cancel its context, or make room in the channel it sends to"},
	{"panic", "the program panics in this order of its goroutines",
		"the steps show which order leads to it; the other order should be the only one possible"},
	{"test failure", "the test fails in this order of its goroutines",
		"the steps show which order leads to it; either the program or the test counts on another one"},
	{"misuse", "a synchronisation object is used in a way its documentation forbids",
		"see the documentation of the package for the rule"},
	{"atomicity violation", "another goroutine comes between operations that belong together",
		"hold one lock from the first of the operations to the last"},
	{"serializability violation", "two groups of operations mix, and no order of whole groups gives the same result",
		"hold one lock around each group"},
	{"livelock", "goroutines run for ever without getting anywhere, or the bound on steps was reached",
		"see what the loop waits for, and who should change it; a longer test needs a larger bound"},
	{"divergence", "the same schedule led to different operations: something outside heddle's control decides",
		"look for state that survives an execution, files, sockets, the real clock, or a seed of the program's own"},
	{"uncontrolled", "a call that heddle cannot control blocks: this test was not explored",
		"put the call behind something a test can replace, or leave the test out with -skip"},
	{"reached", "an execution came to the moment that was asked for (heddle ask): no bug by itself",
		"the steps show one way to get there"},
}

// KindOf returns the row of a kind; one that is not known has its name only.
func KindOf(name string) Kind {
	for _, k := range Kinds {
		if k.Name == name {
			return k
		}
	}
	return Kind{Name: name}
}

// misuses are hints by the beginning of the message, which is Go's.
var misuses = []struct{ message, hint string }{
	{"send on closed channel", "let only the sender close a channel, and where there are several, whoever has waited for all of them"},
	{"close of closed channel", "close a channel in one place only, or under a sync.Once"},
	{"close of nil channel", "make the channel before others can see it"},
	{"sync: negative WaitGroup counter", "every Done needs an Add that happens before it"},
	{"WaitGroup.Add", "call Add before the go statement, not in the goroutine that Wait is to wait for; wg.Go does both"},
	{"sync: WaitGroup", "wait until every call of Wait has returned before the WaitGroup is used again"},
	{"sync: unlock of unlocked", "let the goroutine that locked unlock, once, in a defer"},
	{"sync: Unlock of unlocked", "let the goroutine that locked unlock, once, in a defer"},
	{"sync: RUnlock of unlocked", "let the goroutine that locked unlock, once, in a defer"},
}

// hint returns what to look at, "" where nothing can be said.
func hint(f *wire.Finding) string {
	if f.Kind == "misuse" {
		for _, m := range misuses {
			if strings.HasPrefix(f.Message, m.message) {
				return m.hint
			}
		}
	}
	if f.Kind == "deadlock" || f.Kind == "leak" {
		if h := waitHint(f); h != "" {
			return h
		}
	}
	if (f.Kind == "panic" || f.Kind == "test failure") && f.InputFile != "" && f.Switches == 0 {
		return "the order is the one that the program takes by itself: it is the input that does it, with go test too"
	}
	if (f.Kind == "panic" || f.Kind == "test failure") && f.Executions == 1 && f.Switches == 0 {
		return "it came up at once, in the order that the program takes by itself: if go test passes, see whether it does with this test alone (-run), without what other tests leave behind"
	}
	return KindOf(f.Kind).Hint
}

// message returns what went wrong in one sentence.
func message(f *wire.Finding) string {
	text := f.Message
	if text == "" {
		text = KindOf(f.Kind).Means
		if o := object(f); o != "" {
			text = strings.Replace(text, "the same memory", o, 1)
		}
	}
	if f.Early != "" {
		text += "; " + f.Early + ", as where the others are slow"
	}
	return text
}
