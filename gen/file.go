package gen

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"text/template"
)

// The oracle is text that every test file has, with the names of its type.
//
//go:embed oracle.tmpl
var oracleText string

var oracle = template.Must(template.New("oracle").Parse(oracleText))

// FileName returns the name of the test file.
func (s *Suite) FileName() string { return strings.ToLower(s.typeName()) + "_heddle_test.go" }

// Tests returns the number of tests.
func (s *Suite) Tests() int { return len(s.tests) }

// File returns the text of the test file.
func (s *Suite) File() ([]byte, error) {
	return s.file(s.tests, "fmt", "reflect", "strings", "sync", "testing")
}

// file writes tests and the oracle.
func (s *Suite) file(tests []test, imports ...string) ([]byte, error) {
	var b bytes.Buffer
	typ := s.typeText()
	paths := map[string]bool{}
	for _, p := range imports {
		paths[p] = true
	}
	for p := range s.imports {
		paths[p] = true
	}
	for i := range tests {
		for _, p := range tests[i].imports {
			paths[p] = true
		}
	}
	fmt.Fprintf(&b, "// Written by heddle gen -type %s -seed %d. Run it with\n//\n//\theddle test -run 'Test%sHeddle' %s\n//\n", s.typeName(), s.opt.Seed, s.typeName(), s.p.Path)
	fmt.Fprintf(&b, "// Plainly, under go test, it looks at one interleaving.\n\npackage %s\n\nimport (\n", s.p.Name)
	var std, others []string
	for p := range paths {
		if strings.Contains(strings.Split(p, "/")[0], ".") {
			others = append(others, p)
		} else {
			std = append(std, p)
		}
	}
	for _, list := range [][]string{std, others} {
		slices.Sort(list)
		for _, p := range list {
			fmt.Fprintf(&b, "\t%q\n", p)
		}
		if len(others) > 0 {
			b.WriteByte('\n')
		}
	}
	b.WriteString(")\n")
	for i := range tests {
		s.writeTest(&b, i, typ, &tests[i])
	}
	err := oracle.Execute(&b, struct {
		Name, Type, Create string
		Observers          []string
	}{s.name(), typ, s.create, s.observerNames()})
	if err != nil {
		return nil, err
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("what was written does not parse: %v\n%s", err, b.String())
	}
	return text, nil
}

func (s *Suite) observerNames() (names []string) {
	for _, m := range s.observers {
		names = append(names, m.Name())
	}
	return names
}

func (s *Suite) writeTest(b *bytes.Buffer, i int, typ string, t *test) {
	fmt.Fprintf(b, "\nfunc Test%sHeddle%d(t *testing.T) {\n\t%sTest(t, func() *%s {\n\t\tx := %sNew()\n", s.typeName(), i+1, s.name(), typ, s.name())
	for _, c := range t.prefix {
		fmt.Fprintf(b, "\t\tx.%s\n", c)
	}
	b.WriteString("\t\treturn x\n\t},\n")
	for _, suffix := range t.suffixes {
		fmt.Fprintf(b, "\t\t[]%sCall{\n", s.name())
		for _, c := range suffix {
			fmt.Fprintf(b, "\t\t\t{%q, func(x *%s) string { %s }},\n", c.text, typ, s.callText(&c))
		}
		b.WriteString("\t\t},\n")
	}
	b.WriteString("\t)\n}\n")
}

// callText returns the body of the function for a call, which returns its results as text.
func (s *Suite) callText(c *call) string {
	if c.results == 0 {
		return fmt.Sprintf("x.%s; return \"\"", c.text)
	}
	names := make([]string, c.results)
	for i := range names {
		names[i] = fmt.Sprintf("r%d", i)
	}
	all := strings.Join(names, ", ")
	return fmt.Sprintf("%s := x.%s; return %sShow(%s)", all, c.text, s.name(), all)
}
