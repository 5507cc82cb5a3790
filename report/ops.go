package report

import (
	"strings"

	"heddle/rt/wire"
)

// verbs are the words for operations that reports and clips call differently.
var verbs = map[string]string{
	"wg-add":       "add",
	"wg-wait":      "wait",
	"cond-wait":    "wait",
	"cond-wake":    "wake",
	"once":         "do",
	"once-done":    "done",
	"map-load":     "load",
	"map-store":    "store",
	"map-range":    "range",
	"pool-get":     "get",
	"pool-put":     "put",
	"atomic-load":  "load",
	"atomic-store": "store",
	"atomic-rmw":   "update",
	"atomic-cas":   "update",
	"timer-start":  "start timer",
	"timer-stop":   "stop timer",
	"timer-fire":   "fire timer",
	"any":          "",

	"packet-send":   "send packet to",
	"packet-recv":   "receive packet from",
	"socket-use":    "send from",
	"socket-close":  "close",
	"socket-expire": "deadline of",
	"socket-renew":  "set deadline of",
	"socket-refuse": "refused at",
	"socket-give":   "hand over",
}

func verb(op string) string {
	if v, ok := verbs[op]; ok {
		return v
	}
	return op
}

// resumed returns the text for a goroutine that continues after it waited in op.
func resumed(op, object string) string {
	object = oneLine(object)
	switch op {
	case "recv", "range":
		return strings.TrimRight("has received from "+object, " ")
	case "send":
		return strings.TrimRight("has sent to "+object, " ")
	}
	return "goes on"
}

// operation returns the text of an operation, such as "lock mu", "send ch <- 3", "read
// acct.balance = 100". op may have a word or two after it: "add wg -1", "trylock mu (fails)".
// That of "arrive to lock" is "lock mu (waits)".
func operation(op, object, value string) string {
	op, rest, _ := strings.Cut(op, " ")
	s := verb(op)
	switch {
	case object == "file" && op == "map-load":
		s = "read"
	case object == "file" && op == "map-store":
		s = "write"
	case op == "arrive" && rest == "": // it is not known whether the lock was taken
		s, rest = "lock", "(or waits)"
	case op == "arrive":
		s, rest = verb(strings.TrimPrefix(rest, "to ")), "(waits)"
	case op == "atomic":
		s, rest = s+" "+rest, ""
	}
	if object != "" {
		s += " " + object
	}
	if rest != "" {
		s += " " + rest
	}
	if value == "" {
		return oneLine(s)
	}
	switch op {
	case "send":
		s += " <- " + value
	case "go", "wg-add", "choose", "select", "sleep":
		s += " " + value
	default:
		s += " = " + value
	}
	return oneLine(s)
}

// stepOperation returns the text of a clip's step.
func stepOperation(s *wire.Step) string {
	op := operation(s.Op, s.Where.Object, "")
	if s.Op == "resume" {
		op = resumed(s.Where.Op, s.Where.Object)
	}
	if s.Choice >= 0 {
		op += choice(s.Op, s.Choice)
	}
	return op
}
