package report

import (
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

// misuses have hints by the beginning of the message, which is Go's.
var misuses = []struct{ message, hint string }{
	{"send on closed channel", "let only the sender close a channel, or, with several senders, a goroutine that has waited for all of them"},
	{"a send is not ordered with the close", "let only the sender close a channel, or, with several senders, a goroutine that has waited for all of them"},
	{"close of closed channel", "close a channel in one place only, or under a sync.Once"},
	{"close of nil channel", "make the channel before others can see it"},
	{"sync: negative WaitGroup counter", "every Done needs an Add that happens before it"},
	{"WaitGroup.Add", "call Add before the go statement, not in the goroutine that Wait is to wait for; wg.Go does both"},
	{"sync: WaitGroup", "wait until every call of Wait has returned before the WaitGroup is used again"},
	{"sync: unlock of unlocked", "let the goroutine that locked unlock, once, in a defer"},
	{"sync: Unlock of unlocked", "let the goroutine that locked unlock, once, in a defer"},
	{"sync: RUnlock of unlocked", "let the goroutine that locked unlock, once, in a defer"},
}

// hint returns what to look at, or "".
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
		return "this needs no switch of goroutines: the input is the cause, and go test fails with it too"
	}
	if (f.Kind == "panic" || f.Kind == "test failure") && f.Executions == 1 && f.Switches == 0 {
		return "the first execution showed it without a switch of goroutines: if go test passes, try it with this test alone (-run), as other tests may leave state behind"
	}
	return KindOf(f.Kind).Hint
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
