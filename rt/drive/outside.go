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
	stack, by, ok := strings.Cut(dump, "\ncreated by ")
	if !ok {
		return ""
	}
	fn, at, _ := strings.Cut(by, "\n\t")
	fn, _, _ = strings.Cut(fn, " in goroutine ")
	if fn == "heddlert/hook.Go" {
		// A rewritten go statement: the function that it made of its call stands where it does.
		lines := strings.Split(stack, "\n")
		if len(lines) < 3 {
			return ""
		}
		fn, at = lines[len(lines)-2], lines[len(lines)-1]
		fn = fn[:max(0, strings.LastIndexByte(fn, '('))]
		if i := strings.LastIndex(fn, ".func"); i > 0 {
			fn = fn[:i]
		}
	}
	at, _, _ = strings.Cut(strings.TrimSpace(at), " ")
	if at == "" {
		return fn
	}
	return fn + " (" + base(at) + ")"
}
