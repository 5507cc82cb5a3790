package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"heddle/internal/norm"
	"heddle/rt/wire"
)

// SARIF writes the findings of results as SARIF 2.1.0 (OASIS standard, 27 March 2020), so that CI
// systems show them at their lines. There is a rule for each kind of finding and a result for each
// finding. Its first place is the location, the others are related locations. The steps of the
// clip are a code flow with one thread flow for each goroutine, numbered in the order of
// execution. Findings that were known before have suppressions. Files below dir are named relative
// to it, as %SRCROOT%.
//
// Columns are in UTF-16 units, as SARIF has no columns in bytes. The position table has columns
// for memory accesses, channel operations and go statements; calls have only a line.
func SARIF(w io.Writer, dir string, results []*Result) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "heddle", Rules: []sarifRule{}}},
		Results: []sarifResult{}, ColumnKind: "utf16CodeUnits"}
	if dir != "" {
		root := artifact(dir).URI
		run.Bases = map[string]sarifArtifact{"%SRCROOT%": {URI: strings.TrimSuffix(root, "/") + "/"}}
	}
	s := sarifWriter{dir}
	index := map[string]int{}
	for _, k := range Kinds {
		index[k.Name] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule(k))
	}
	known := slices.ContainsFunc(results, func(r *Result) bool {
		return slices.ContainsFunc(r.Tests, func(t *TestResult) bool { return len(t.Known) > 0 })
	})
	for _, r := range results {
		for _, t := range r.Tests {
			for _, f := range slices.Concat(t.Findings, t.Known) {
				if _, known := index[f.Kind]; !known {
					index[f.Kind] = len(run.Tool.Driver.Rules)
					run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule(KindOf(f.Kind)))
				}
				res := s.finding(r.Package, t, f, index[f.Kind])
				if known { // all results have them, or none: section 3.27.23
					res.Suppressions = suppressions(f.Known)
				}
				run.Results = append(run.Results, res)
			}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// A sarifWriter writes findings, with file names relative to dir.
type sarifWriter struct{ dir string }

func rule(k Kind) sarifRule {
	means := k.Means
	if means == "" {
		means = k.Name
	}
	r := sarifRule{ID: norm.Name(k.Name), Short: sarifText{means}}
	if k.Hint != "" {
		r.Help = &sarifText{k.Hint}
	}
	return r
}

func (s sarifWriter) finding(pkg string, t *TestResult, f Finding, ruleIndex int) sarifResult {
	text := headingIn(f.Finding, t.Name) + ": " + message(f.Finding)
	if f.explained != nil {
		text = strings.Join(append([]string{text}, f.explained.sentences()...), "\n")
	}
	if f.ClipPath != "" {
		text += "\nheddle replay " + shellWord(f.ClipPath)
	}
	r := sarifResult{RuleID: norm.Name(f.Kind), RuleIndex: ruleIndex, Level: level(f.Kind),
		Message: sarifText{clean(text)}, Properties: sarifProperties{f.Cause},
		CodeFlows: s.codeFlows(f.Clip.Steps)}
	for i, p := range f.Places {
		l, ok := s.location(p)
		if !ok {
			continue
		}
		if len(r.Locations) == 0 {
			r.Locations = []sarifLocation{l}
		}
		if len(f.Places) > 1 {
			l.ID = i + 1
			r.Related = append(r.Related, l)
		}
	}
	r.Fingerprints = map[string]string{"heddleFinding/v1": strings.Join([]string{pkg, t.Name, f.Kind,
		fingerprint(f)}, "\n")}
	return r
}

// inSource is by what a finding is known that a comment in a Go file ignores.
var inSource = regexp.MustCompile(`^[^:]*\.go:[0-9]+: `)

// suppressions says by what a finding is known; it is empty for a new one.
func suppressions(by string) []sarifSuppression {
	all := []sarifSuppression{}
	if by == "" {
		return all
	}
	kind := "external"
	if inSource.MatchString(by) {
		kind = "inSource"
	}
	return append(all, sarifSuppression{kind, clean(by)})
}

// fingerprint returns the name of the clip, which is stable across edits elsewhere, or else the
// places.
func fingerprint(f Finding) string {
	if f.ClipPath != "" {
		return path.Base(filepath.ToSlash(f.ClipPath))
	}
	var s []string
	for _, p := range f.Places {
		s = append(s, p.Op+" "+p.Object+" "+path.Base(filepath.ToSlash(p.File)))
	}
	return strings.Join(s, "\n")
}

func level(kind string) string {
	switch kind {
	case "divergence", "uncontrolled":
		return "warning"
	}
	return "error"
}

// location returns the location of a place. ok is false if the file is unknown.
func (s sarifWriter) location(p wire.Place) (l sarifLocation, ok bool) {
	if p.File == "" {
		return l, false
	}
	l.Physical.Artifact = artifact(p.File)
	if p.Line > 0 {
		l.Physical.Region = s.region(p)
	}
	text := operation(p.Op, p.Object, "")
	if p.Goroutine != "" {
		text += " by goroutine " + oneLine(p.Goroutine)
	}
	if p.Note != "" {
		text += " (" + oneLine(p.Note) + ")"
	}
	if text = strings.TrimSpace(text); text != "" {
		l.Message = &sarifText{text}
	}
	return l, true
}

// region returns the line of a place, from its column if known to the end of the object's name.
func (s sarifWriter) region(p wire.Place) *sarifRegion {
	r := &sarifRegion{StartLine: p.Line}
	file := p.File
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.dir, file)
	}
	line := strings.TrimSuffix(sourceLine(file, p.Line), "\r")
	if p.Col < 1 || p.Col > len(line) {
		return r
	}
	r.StartColumn = utf16Len(line[:p.Col-1]) + 1
	if p.Object != "" && strings.HasPrefix(line[p.Col-1:], p.Object) {
		r.EndColumn = r.StartColumn + utf16Len(p.Object)
	}
	return r
}

// utf16Len counts the UTF-16 units of s. An invalid byte is one unit.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// artifact returns a URI reference to a file, relative to the source root if the file is below it.
func artifact(file string) sarifArtifact {
	slash := filepath.ToSlash(file)
	if !filepath.IsAbs(file) {
		return sarifArtifact{URI: (&url.URL{Path: slash}).String(), Base: "%SRCROOT%"}
	}
	if !strings.HasPrefix(slash, "/") { // C:/...
		slash = "/" + slash
	}
	return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: slash}).String()}
}

// mostFlow is the largest number of steps in a code flow, as viewers show all of them.
const mostFlow = 40

func (s sarifWriter) codeFlows(steps []wire.Step) []sarifCodeFlow {
	threads := map[string]*sarifThread{}
	var names []string
	all := func(*wire.Step) bool { return false }
	for _, i := range selectSteps(linesOf(steps), nil, mostFlow, false, all) {
		step := &steps[i]
		p := step.Where
		if p.Op == "" {
			p.Op = step.Op
		}
		p.Goroutine = step.G
		l, ok := s.location(p)
		if !ok {
			continue
		}
		t := threads[step.G]
		if t == nil {
			t = &sarifThread{ID: step.G, Message: sarifText{fmt.Sprintf("goroutine %s", oneLine(step.G))}}
			threads[step.G] = t
			names = append(names, step.G)
		}
		t.Locations = append(t.Locations, sarifStep{Location: l, Order: i + 1})
	}
	if len(names) == 0 {
		return nil
	}
	sortNames(names)
	var flow sarifCodeFlow
	for _, n := range names {
		flow.Threads = append(flow.Threads, *threads[n])
	}
	return []sarifCodeFlow{flow}
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`

	Bases      map[string]sarifArtifact `json:"originalUriBaseIds,omitempty"`
	ColumnKind string                   `json:"columnKind"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name  string      `json:"name"`
	Rules []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string     `json:"id"`
	Short sarifText  `json:"shortDescription"`
	Help  *sarifText `json:"help,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	CodeFlows    []sarifCodeFlow   `json:"codeFlows,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Properties   sarifProperties   `json:"properties,omitzero"`

	Suppressions []sarifSuppression `json:"suppressions,omitzero"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

// sarifProperties are those that only heddle has.
type sarifProperties struct {
	Cause string `json:"cause,omitempty"` // findings with one cause have one name
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifText    `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"` // the column after the last one
}

type sarifCodeFlow struct {
	Threads []sarifThread `json:"threadFlows"`
}

type sarifThread struct {
	ID        string      `json:"id"`
	Message   sarifText   `json:"message"`
	Locations []sarifStep `json:"locations"`
}

type sarifStep struct {
	Location sarifLocation `json:"location"`
	Order    int           `json:"executionOrder"`
}
