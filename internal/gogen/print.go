package gogen

import (
	"fmt"
	"go/format"
	"regexp"
	"slices"
	"strings"
)

// packages are the imports that pieces may use, by name.
var packages = map[string]string{}

func init() {
	for _, path := range []string{"bufio", "bytes", "cmp", "compress/gzip", "container/heap",
		"container/list", "container/ring", "context",
		"crypto/md5", "crypto/sha1", "crypto/sha256", "crypto/hmac", "encoding/base64", "encoding/binary",
		"encoding/csv", "encoding/hex", "encoding/json",
		"encoding/xml", "errors", "fmt", "hash/adler32", "hash/crc32", "hash/fnv", "io", "iter", "log",
		"log/slog", "maps", "math", "math/big", "math/bits",
		"net", "net/url", "os", "path/filepath", "reflect", "regexp", "runtime", "slices", "sort", "strconv",
		"strings",
		"sync", "sync/atomic", "text/tabwriter", "text/template", "time", "unicode/utf8", "unicode",
		"encoding/gob", "io/fs", "errors", "net/http", "net/netip", "text/scanner", "go/token", "unique",
		"weak", "encoding/pem", "encoding/base32", "encoding/ascii85", "html", "html/template", "mime",
		"path", "archive/tar", "archive/zip", "compress/flate", "hash/maphash", "strings", "expvar",
		"index/suffixarray", "image", "testing/iotest"} {
		packages[path[strings.LastIndex(path, "/")+1:]] = path
	}
	packages["template"] = "text/template"
	packages["rand"] = "math/rand/v2"
}

var qualified = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.[A-Z]`)

// A Manner is a use of the source.
type Manner int

const (
	Test   Manner = iota // test functions, for heddle
	Native               // functions that a runner calls, with random yields
)

// Func returns the name of a program's function.
func (m Manner) Func(p *Program) string {
	if m == Native {
		return fmt.Sprintf("p%d", p.Seed)
	}
	return fmt.Sprintf("TestP%d", p.Seed)
}

// Source returns the programs as one file of package p, or main if native. Each statement has the
// same line in both manners.
func Source(programs []*Program, m Manner) (string, error) {
	var body strings.Builder
	for _, p := range programs {
		w := &printer{p: p, m: m}
		w.program()
		body.WriteString("\n" + w.b.String())
	}
	text := body.String()
	var imports []string
	for _, q := range qualified.FindAllStringSubmatch(text, -1) {
		if path, ok := packages[q[1]]; ok && !slices.Contains(imports, path) {
			imports = append(imports, path)
		}
	}
	slices.Sort(imports)
	var b strings.Builder
	if m == Native {
		b.WriteString("package main\n\nimport (\n\t\"example.com/gogen/side\"\n\n")
	} else {
		b.WriteString("package p\n\nimport (\n\t\"example.com/gogen/side\"\n\t\"testing\"\n")
	}
	for _, path := range imports {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	b.WriteString(")\n" + text)
	if m == Native {
		return b.String(), nil
	}
	out, err := format.Source([]byte(b.String()))
	if err != nil {
		return b.String(), fmt.Errorf("gogen: %w", err)
	}
	return string(out), nil
}

type printer struct {
	p *Program
	m Manner
	b strings.Builder
}

func (w *printer) line(f string, args ...any) { fmt.Fprintf(&w.b, f+"\n", args...) }

// yield returns the call that yields in a native run.
func (w *printer) yield() string {
	if w.m == Native {
		return "side.Y();"
	}
	return ""
}

func (w *printer) program() {
	p := w.p
	if w.m == Native {
		w.line("func %s(r *side.Run) {", w.m.Func(p))
	} else {
		w.line("func %s(*testing.T) {", w.m.Func(p))
	}
	used := p.Uses()
	for _, o := range used {
		w.line("%s", o.Decl)
		for _, n := range names(o) {
			w.line("_ = &%s", n)
		}
	}
	n := len(p.Bodies) - 1
	w.line("logs := make([]side.Log, %d)", n+1)
	switch p.Join {
	case "wg":
		w.line("var join sync.WaitGroup\njoin.Add(%d)", n)
	case "go":
		w.line("var join sync.WaitGroup")
	case "chan":
		w.line("join := make(chan int)")
	}
	for i := 1; i <= n; i++ {
		w.start(i)
	}
	w.line("func(l *side.Log) {")
	if !p.Loud {
		w.line("defer l.Recover()")
	}
	w.block(p.Bodies[0])
	w.line("}(&logs[0])")
	switch p.Join {
	case "wg", "go":
		w.line("join.Wait()")
	case "chan":
		w.line("for range %d { <-join }", n)
	case "close":
		for i := 1; i <= n; i++ {
			w.line("<-join%d", i)
		}
	}
	logs := "logs"
	if p.Join == "" {
		logs = "logs[:1]"
	} else {
		w.line("l := &logs[0]\n_ = l")
		for _, o := range used {
			switch {
			case o.Show == "":
			case p.Clean && o.Open != "": // goroutines may still run
				w.line("l.S(%q)\nfunc() {\n%s\n%s\n}()", o.Name, o.Open, o.Show)
			default:
				w.line("l.S(%q)\n{\n%s\n}", o.Name, o.Show)
			}
		}
	}
	if w.m == Native {
		w.line("r.Tell(%s)", logs)
	} else {
		w.line("side.Tell(%d, %s)", p.Seed, logs)
	}
	w.line("}")
}

// start prints the start of goroutine i.
func (w *printer) start(i int) {
	end := ""
	switch w.p.Join {
	case "wg":
		end = "defer join.Done()"
	case "chan":
		end = fmt.Sprintf("defer func() { join <- %d }()", i)
	case "close":
		w.line("join%d := make(chan bool)", i)
		end = fmt.Sprintf("defer close(join%d)", i)
	}
	if w.p.Join == "go" {
		w.line("join.Go(func() {")
	} else {
		w.line("go func() {")
	}
	if end != "" {
		w.line("%s", end)
	}
	w.line("l := &logs[%d]\n_ = l", i)
	switch {
	case !w.p.Loud:
		w.line("defer l.Recover()")
	case w.m == Native:
		w.line("defer r.Caught()")
	}
	w.block(w.p.Bodies[i])
	if w.p.Join == "go" {
		w.line("})")
	} else {
		w.line("}()")
	}
}

var hole = regexp.MustCompile(`%([0-9y])%;?`)

func (w *printer) block(list []*Node) {
	for _, n := range list {
		w.line("%s%s", w.yield(), w.text(n))
	}
}

// text returns a statement with its blocks filled in.
func (w *printer) text(n *Node) string {
	return hole.ReplaceAllStringFunc(n.Text, func(s string) string {
		if s[1] == 'y' {
			return w.yield()
		}
		inner := &printer{p: w.p, m: w.m}
		inner.line("{")
		inner.block(n.Blocks[s[1]-'0'])
		inner.b.WriteString("}")
		return inner.b.String()
	})
}
