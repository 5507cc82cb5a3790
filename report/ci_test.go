package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/rt/wire"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"
)

// everything holds a finding of every kind and every other way to end.
func everything() []*Result {
	var out bytes.Buffer
	o := options(&out)
	o.Colour = true // and yet no escapes in files
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
	if err := SARIF(&out, everything()); err != nil {
		t.Fatal(err)
	}
	golden(t, "sarif", out.String())
}

// What is written is valid by the schema of the standard, empty or full.
func TestSARIFSchema(t *testing.T) {
	for name, results := range map[string][]*Result{"none": nil, "all": everything()} {
		var out bytes.Buffer
		if err := SARIF(&out, results); err != nil {
			t.Fatal(err)
		}
		if err := validSARIF(t, out.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if validSARIF(t, []byte(`{"version":"2.1.0","runs":[{"results":[]}]}`)) == nil {
		t.Error("a run without a tool passes: the validator is blind")
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

// validSARIF checks data by the schema of the standard, and that it has no
// field that go-sarif does not know. The schema is the one inside go-sarif, read from its source: its
// own Validate checks what it would write instead, with its defaults added, and those are not valid.
func validSARIF(t *testing.T, data []byte) error {
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(new(sarif.Report)); err != nil {
		return err
	}
	res, err := gojsonschema.Validate(gojsonschema.NewStringLoader(sarifSchema(t)), gojsonschema.NewBytesLoader(data))
	if err != nil {
		return err
	}
	for _, e := range res.Errors() {
		err = errors.Join(err, errors.New(e.String()))
	}
	return err
}

func sarifSchema(t *testing.T) string {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		t.Skipf("go-sarif is not there: %v", err)
	}
	file := filepath.Join(strings.TrimSpace(string(out)), "schema.go")
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	schema := f.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value
	text, err := strconv.Unquote(schema)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
