package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/internal/sarifcheck"
	"heddle/rt/wire"
)

// everything returns a result with a finding of each kind, and with each other way in which a test
// can end.
func everything() []*Result {
	var out bytes.Buffer
	o := options(&out)
	o.Markdown = true
	o.Colour = true // files must have no escapes all the same
	r := New(o)
	session(r)
	p := r.Package("example.com/kinds")
	all := findings()
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p.Record(&wire.Record{Type: "begin", Test: "Test_" + name})
		p.Record(&wire.Record{Type: "output", Test: "Test_" + name, Text: "out \x00 ]]> <b>\n"})
		p.Finding("Test_"+name, all[name], "")
		p.Record(&wire.Record{Type: "end", Test: "Test_" + name, Executions: 3, Elapsed: 0.1})
	}
	p.Record(&wire.Record{Type: "done"})
	p.End(0, nil)
	return r.Results()
}

func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := JUnit(&out, everything()); err != nil {
		t.Fatal(err)
	}
	golden(t, "junit", out.String())
	if strings.ContainsAny(out.String(), "\x1b\ufffd") {
		t.Error("escapes")
	}
	var back junitSuites
	if err := xml.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Suites) != 4 || back.Failures != 1+len(findings()) || back.Errors != 1 {
		t.Errorf("%d suites, %d failures, %d errors", len(back.Suites), back.Failures, back.Errors)
	}
}

func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	if err := SARIF(&out, "", everything()); err != nil {
		t.Fatal(err)
	}
	golden(t, "sarif", out.String())
}

// The output is valid by the schema of the standard, with and without findings.
func TestSARIFSchema(t *testing.T) {
	for name, results := range map[string][]*Result{"none": nil, "all": everything()} {
		var out bytes.Buffer
		if err := SARIF(&out, "/home/me/bank", results); err != nil {
			t.Fatal(err)
		}
		err := sarifcheck.Valid(out.Bytes())
		if errors.Is(err, sarifcheck.ErrNoSchema) {
			t.Skip(err)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if sarifcheck.Valid([]byte(`{"version":"2.1.0","runs":[{"results":[]}]}`)) == nil {
		t.Error("a run without a tool passes: the validator is blind")
	}
}

// Known findings are suppressed; if there is one, the others say that they are not.
func TestSARIFKnown(t *testing.T) {
	results := everything()
	test := results[0].Tests[0]
	for _, by := range []string{"known.toml:12", "bank.go:31: a counter.go:3: for logs",
		"heddle.toml:1: see bank.go:3: it"} {
		f := test.Findings[0]
		f.Known = by
		test.Known = append(test.Known, f)
	}
	var out bytes.Buffer
	if err := SARIF(&out, "/home/me/bank", results); err != nil {
		t.Fatal(err)
	}
	if err := sarifcheck.Valid(out.Bytes()); err != nil && !errors.Is(err, sarifcheck.ErrNoSchema) {
		t.Error(err)
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	var got []sarifSuppression
	for _, r := range log.Runs[0].Results {
		if r.Suppressions == nil {
			t.Errorf("%s: no suppressions, want an empty list", r.Message.Text)
		}
		got = append(got, r.Suppressions...)
	}
	want := []sarifSuppression{{"external", "known.toml:12"},
		{"inSource", "bank.go:31: a counter.go:3: for logs"},
		{"external", "heddle.toml:1: see bank.go:3: it"}}
	if !slices.Equal(got, want) {
		t.Errorf("suppressions %q, want %q", got, want)
	}
}

func TestArtifacts(t *testing.T) {
	for file, want := range map[string]sarifArtifact{
		"a/b c.go":     {"a/b%20c.go", "%SRCROOT%"},
		"/abs/é#.go":   {"file:///abs/%C3%A9%23.go", ""},
		"a:b/x.go":     {"./a:b/x.go", "%SRCROOT%"},
		"50%/odd?.go":  {"50%25/odd%3F.go", "%SRCROOT%"},
		"plain/one.go": {"plain/one.go", "%SRCROOT%"},
	} {
		if got := artifact(file); got != want {
			t.Errorf("%s: %+v, want %+v", file, got, want)
		}
	}
}

// Columns are UTF-16 units, whatever the text before the place.
func TestRegions(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte("package x\n\t/* é😀 */ größe.n = 1\r\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	byteCol := len("\t/* é😀 */ ") + 1
	for _, tt := range []struct {
		place wire.Place
		want  sarifRegion
	}{
		{wire.Place{File: "x.go", Line: 2, Col: byteCol, Object: "größe.n"}, sarifRegion{2, 12, 19}},
		{wire.Place{File: filepath.Join(dir, "x.go"), Line: 2, Col: byteCol, Object: "other"},
			sarifRegion{2, 12, 0}},
		{wire.Place{File: "x.go", Line: 2}, sarifRegion{2, 0, 0}},
		{wire.Place{File: "x.go", Line: 2, Col: 99}, sarifRegion{2, 0, 0}},
		{wire.Place{File: "x.go", Line: 9, Col: 1}, sarifRegion{9, 0, 0}},
		{wire.Place{File: "none.go", Line: 1, Col: 1}, sarifRegion{1, 0, 0}},
	} {
		if got := (sarifWriter{dir}).region(tt.place); *got != tt.want {
			t.Errorf("%+v: %+v, want %+v", tt.place, *got, tt.want)
		}
	}
}
