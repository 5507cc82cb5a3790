package drive

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
)

// strangers says what started the goroutines outside control that there are
// now, as "net/http.(*Server).Serve (server.go:3493)", each once, at most most.
func strangers(most int) []string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var out []string
	for i, g := range bytes.Split(buf, []byte("\n\n")) {
		if i == 0 { // who asks
			continue
		}
		if s := starter(string(g)); s != "" && !slices.Contains(out, s) && len(out) < most {
			out = append(out, s)
		}
	}
	return out
}

// starter reads off a goroutine's dump what started it; "" for coroutines, for
// the goroutine that waits for the tests, and where the dump does not say.
func starter(dump string) string {
	if strings.Contains(dump, "heddlert/sched.(*worker).main") {
		return ""
	}
	_, by, ok := strings.Cut(dump, "\ncreated by ")
	if !ok {
		return ""
	}
	fn, at, _ := strings.Cut(by, "\n\t")
	fn, _, _ = strings.Cut(fn, " in goroutine ")
	at, _, _ = strings.Cut(at, " ")
	at = strings.TrimSpace(at)
	if at == "" {
		return fn
	}
	return fn + " (" + base(at) + ")"
}
