package clip

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"heddle/rt/wire"
)

var update = flag.Bool("update", false, "rewrite the goldens; only commit the changes if you understand what caused them")

// transfer returns the example of the package comment.
func transfer() *File {
	at := func(line int) wire.Place { return wire.Place{File: "bank.go", Line: line} }
	obj := func(line int, o string) wire.Place { return wire.Place{File: "bank.go", Line: line, Object: o} }
	return &File{
		Package: "example.com/bank", Go: "go1.26.8", Heddle: "v0.1.0",
		Clip: wire.Clip{
			Test: "TestTransfer", Kind: "data race",
			Message: "two goroutines access acct.balance at the same time, and at least one writes",
			Policy:  "first", Isolate: "vars",
			Spots: []wire.Place{{File: "bank.go", Line: 21, Op: "read", Object: "acct.balance",
				Func: "example.com/bank.Transfer", Nth: 1}},
			Places: []wire.Place{
				{File: "bank.go", Line: 22, Op: "write", Object: "acct.balance", Goroutine: "main/2",
					Func: "example.com/bank.Transfer", Nth: 2},
				{File: "bank.go", Line: 21, Op: "read", Object: "acct.balance", Goroutine: "main/1",
					Func: "example.com/bank.Transfer", Nth: 1},
			},
			Steps: []wire.Step{
				{G: "main", Op: "go", Choice: -1, Where: at(30)},
				{G: "main", Op: "go", Choice: -1, Where: at(31)},
				{G: "main", Op: "wg-wait", Choice: -1, Where: obj(33, "wg")},
				{G: "main/1", Op: "lock", Choice: -1, Where: obj(20, "mu")},
				{G: "main/2", Op: "read", Choice: -1, Where: obj(21, "acct.balance"), Switch: true},
				{G: "main/2", Op: "read", Choice: -1, Where: obj(21, "acct.balance"), Switch: true},
				{G: "main/2", Op: "select", Choice: 1, Where: at(24)},
			},
		},
	}
}

// odd returns a file with every text that could be taken for another part of a line.
func odd() *File {
	f := &File{Clip: wire.Clip{Test: "TestOdd", Kind: "misuse", Message: " \"two\nlines\" \xff",
		Policy: "pct", Seed: 1<<64 - 1, Depth: 3, Free: true}}
	for _, s := range []string{"", "x12", "=2", "@3", "by=me", "a:3", "a b", "\"", "#x", "*p", "m[\"k\"]",
		"über", "\u00a0", "\xff", "end", "steps", "x", ":", ":-1", "`", "\\"} {
		p := wire.Place{Op: s, Object: s, File: s, Line: 7, Func: s, Nth: 3, Down: 4, Goroutine: s, Note: s,
			Site: 9}
		f.Places = append(f.Places, p)
		f.Spots = append(f.Spots, p)
		f.Steps = append(f.Steps, wire.Step{G: s, Op: "lock", Choice: -2, Where: p})
	}
	f.Places = append(f.Places, wire.Place{Line: -1}, wire.Place{File: "f"})
	f.Steps = append(f.Steps, wire.Step{G: "end", Op: "any", Choice: -1}, wire.Step{Choice: -1})
	return f
}

func TestGolden(t *testing.T) {
	for name, f := range map[string]*File{"transfer": transfer(), "odd": odd()} {
		path := filepath.Join("testdata", name+".golden")
		got := f.Format()
		if *update {
			os.MkdirAll("testdata", 0o777)
			os.WriteFile(path, got, 0o666)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// Clips of version 1 are read without changes.
func TestVersion1(t *testing.T) {
	for name, f := range map[string]*File{"transfer": transfer(), "odd": odd()} {
		text, err := os.ReadFile(filepath.Join("testdata", "v1", name+".golden"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseFile("", text); err != nil || !reflect.DeepEqual(got, f) {
			t.Errorf("%s: %v\n%+v", name, err, got)
		}
	}
}

// The package comment shows what Format writes.
func TestPackageComment(t *testing.T) {
	src, err := os.ReadFile("clip.go")
	if err != nil {
		t.Fatal(err)
	}
	var doc strings.Builder
	for line := range strings.Lines(string(transfer().Format())) {
		doc.WriteString("//\t" + line)
	}
	if !strings.Contains(string(src), doc.String()) {
		t.Errorf("the package comment does not show\n%s", doc.String())
	}
}

func TestRoundTrip(t *testing.T) {
	for _, f := range []*File{transfer(), odd()} {
		text := f.Format()
		got, err := ParseFile("", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(got, f) {
			t.Errorf("got\n%+v\nwant\n%+v", got, f)
		}
	}
}

func TestLongTextIsCut(t *testing.T) {
	f := transfer()
	f.Message = strings.Repeat("ä", MaxText)
	for i := range f.Steps {
		f.Steps[i].Where.Object = strings.Repeat("\xff", MaxText+1)
	}
	c, err := Parse("", f.Format())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Message); n > MaxText || n < MaxText-10 {
		t.Errorf("message of %d bytes", n)
	}
}

func TestErrors(t *testing.T) {
	good := string(transfer().Format())
	for _, tt := range []struct{ name, old, new, want string }{
		{"empty", good, "", `f:1: expected "heddle clip v2", found an empty file`},
		{"other file", "heddle clip v2", "package main",
			`f:1: expected "heddle clip v2", found "package main"`},
		{"newer", "heddle clip v2", "heddle clip v3", `f:1: expected version 1 or 2 of the clip format (a newer heddle may read others), found "v3"`},
		{"flag", "isolate    vars", "flag -o=x", `f:11: expected one of the flags -run=, -skip=, -tags=, -time=, -lose=, -symbolic=, -short, -v, found "-o=x"`},
		{"flag without a value", "isolate    vars", "flag -run", `f:11: expected one of the flags -run=, -skip=, -tags=, -time=, -lose=, -symbolic=, -short, -v, found "-run"`},
		{"argument of package testing", "isolate    vars", "arg -test.cpuprofile=x", `f:11: expected an argument of the program (give heddle replay those of package testing after -args), found "-test.cpuprofile=x"`},
		{"variable", "isolate    vars", "env PATH=x", `f:11: expected a value of GODEBUG, GOMAXPROCS, GOEXPERIMENT, CGO_ENABLED, found "PATH=x"`},
		{"header word", "kind ", "kund ", `f:5: expected one of test, package, kind, message, go, heddle, policy, seed, depth, time, model, isolate, pattern, flag, arg, env, code, fixed, input, visible, place, steps, found "kund"`},
		{"twice", "go         go1.26.8", "kind       x",
			`f:7: expected kind once (it stands in line 5), found it again`},
		{"no test", "test       TestTransfer\n", "", `f:14: expected a line that names the test before the steps, found none`},
		{"seed", "seed       0", "seed       -1",
			`f:10: expected a number of 64 bits, not negative, found "-1"`},
		{"operation", " lock ", " lokc ",
			`f:19: expected an operation such as lock, send or read, found "lokc"`},
		{"short step", "  main/1     lock mu                      bank.go:20", "  main/1",
			`f:19: expected a goroutine and an operation, found "main/1"`},
		{"folded too often", "x2", "x10000001",
			`f:20: expected at most 2000000 steps in all, found 4 and x10000001`},
		{"folded never", "x2", "x0", `f:20: expected at most 2000000 steps in all, found 4 and x0`},
		{"quote", " mu ", ` "mu `, `f:19: expected a text quoted as in Go, found "\"mu                      bank.go:20"`},
		{"cut in the header", good[strings.Index(good, "policy"):], "", `f:9: expected a header line or "steps", found the end of the file (is it cut short?)`},
		{"cut in the steps", good[strings.Index(good, "* main/2"):], "", `f:20: expected a step or "end" with the number of steps, found the end of the file after 4 steps (is it cut short?)`},
		{"a step lost", "  main/1     lock mu                      bank.go:20\n", "",
			`f:21: expected "end 6", the number of steps above, found "end 7"`},
		{"more after the end", "end 7", "end 7\nmore",
			`f:23: expected nothing after the end line, found "more"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Replace(good, tt.old, tt.new, 1)
			if in == good {
				t.Fatalf("%q is not in the clip", tt.old)
			}
			_, err := Parse("f", []byte(in))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// Every proper prefix of a clip is recognised as cut short.
func TestEveryPrefixFails(t *testing.T) {
	for _, f := range []*File{transfer(), odd()} {
		text := f.Format()
		for n := range len(text) - 1 { // the last newline may be missing
			if _, err := Parse("f", text[:n]); err == nil && !bytes.HasPrefix(text[n:], []byte("\n")) {
				t.Errorf("%d of %d bytes parse:\n%s", n, len(text), text[:n])
			}
		}
	}
}

func TestBounds(t *testing.T) {
	head := "heddle clip v1\ntest T\nsteps\n"
	for name, in := range map[string]string{
		"a line of at most":           head + "  main lock " + strings.Repeat("a", MaxLine) + "\nend 1\n",
		"a text of at most":           head + "  main lock " + strings.Repeat("a", MaxText+1) + "\nend 1\n",
		"at most 16 words":            head + "  main lock" + strings.Repeat(" a", 20) + "\nend 1\n",
		"one object and one position": head + "  main lock a b\nend 1\n",
		"one position":                head + "  main lock a:1 a:2\nend 1\n",
		"one outcome":                 head + "  main lock =1 =2\nend 1\n",
		"nothing after x2":            head + "  main lock x2 mu\nend 1\n",
	} {
		if _, err := Parse("f", []byte(in)); err == nil || !strings.Contains(err.Error(), "expected "+name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
	if _, err := Parse("f", make([]byte, MaxFile+1)); err == nil || len(err.Error()) > 200 {
		t.Errorf("a file too large: %v", err)
	}
}

func TestWindowsLineEnds(t *testing.T) {
	f := transfer()
	got, err := ParseFile("", bytes.ReplaceAll(f.Format(), []byte("\n"), []byte("\r\n")))
	if err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(transfer().Format())
	f.Add(odd().Format())
	f.Add([]byte("heddle clip v1\ntest T\nsteps\n* main lock x99 x9\nend 9\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := parse("", data, 1000) // few steps: a short file may stand for gigabytes
		if err != nil {
			return
		}
		text := a.Format()
		b, err := ParseFile("", text)
		if err != nil {
			t.Fatalf("%v\nfrom\n%s\nformatted\n%s", err, data, text)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%+v\nbecame\n%+v\n%s", a, b, text)
		}
	})
}
