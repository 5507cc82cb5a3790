package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
)

// JUnit writes results as JUnit XML for CI systems: a suite for each package, a case for each
// test, a failure for each finding.
func JUnit(w io.Writer, results []*Result) error {
	all := junitSuites{Suites: []junitSuite{}}
	total := 0.0
	for _, r := range results {
		s := suite(r)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		total += r.Elapsed
		all.Suites = append(all.Suites, s)
	}
	all.Time = junitTime(total)
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	// Attributes have no newlines. Elsewhere a newline needs no escape, and the text is easier to
	// read.
	text = bytes.ReplaceAll(text, []byte("&#xA;"), []byte("\n"))
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func suite(r *Result) junitSuite {
	s := junitSuite{Name: r.Package, Time: junitTime(r.Elapsed)}
	for _, t := range r.Tests {
		c := junitCase{Name: t.Name, Class: r.Package, Time: junitTime(t.Elapsed), Out: clean(t.Output)}
		s.Tests++
		switch t.Result {
		case "fail":
			s.Failures++
			c.Failures = failures(t)
		case "skip":
			s.Skipped++
			c.Skipped = &junitMessage{Message: oneLine(t.Reason)}
		}
		s.Cases = append(s.Cases, c)
	}
	for _, e := range [...]struct{ name, text string }{{"[build failed]", r.BuildError},
		{"[test binary]", r.Error}} {
		if e.text == "" {
			continue
		}
		s.Tests++
		s.Errors++
		s.Cases = append(s.Cases,
			junitCase{Name: e.name, Class: r.Package, Time: junitTime(0),
				Error: &junitMessage{Message: e.name, Text: clean(e.text)}})
	}
	return s
}

func failures(t *TestResult) []junitMessage {
	if len(t.Findings) == 0 {
		return []junitMessage{{Message: oneLine(t.Reason), Type: "test failure"}}
	}
	var out []junitMessage
	for _, f := range t.Findings {
		text := "\n" + f.Text
		if f.Of != "" {
			text += "    cause   " + f.Of + "\n"
		}
		out = append(out,
			junitMessage{Message: heading(f.Finding) + ": " + oneLine(message(f.Finding)), Type: f.Kind,
				Text: text})
	}
	return out
}

func junitTime(s float64) string { return fmt.Sprintf("%.3f", s) }

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class    string         `xml:"classname,attr"`
	Name     string         `xml:"name,attr"`
	Time     string         `xml:"time,attr"`
	Failures []junitMessage `xml:"failure"`
	Error    *junitMessage  `xml:"error"`
	Skipped  *junitMessage  `xml:"skipped"`
	Out      string         `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}
