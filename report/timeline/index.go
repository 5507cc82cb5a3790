package timeline

import (
	"io"
	"slices"
	"strings"
)

// An Index links the tests of a run to the pages of their findings.
type Index struct {
	Title           string // one sentence
	Findings, Tests int    // numbers of findings and tests
	Packages        []IndexPackage
	Patterns        string // the page with memory-access patterns, "": there is none
	About           []Term
}

// An IndexPackage is a package of an Index.
type IndexPackage struct {
	Path  string
	Error string // why results are missing
	Tests []IndexTest
}

// An IndexTest is a test of an Index.
type IndexTest struct {
	Name, Verdict string // "fail", "pass", "skip"
	How           string // what was covered
	Findings      []IndexFinding
	Chart         *Chart // nil: none
}

// An IndexFinding is a finding with its page.
type IndexFinding struct {
	Kind, Heading, Message, Page string
	Places                       []string
	Of                           string // the finding whose consequence it is, "" if none
}

// A KindCount is how many findings of a kind there are.
type KindCount struct {
	Name  string
	Count int
}

// Kinds returns the kinds of the findings, the most frequent first.
func (x Index) Kinds() []KindCount {
	var all []KindCount
	for _, p := range x.Packages {
		for _, t := range p.Tests {
			for _, f := range t.Findings {
				i := slices.IndexFunc(all, func(k KindCount) bool { return k.Name == f.Kind })
				if i < 0 {
					i, all = len(all), append(all, KindCount{f.Kind, 0})
				}
				all[i].Count++
			}
		}
	}
	slices.SortFunc(all, func(a, b KindCount) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all
}

// Pages returns the pages of the findings, in their order, each once.
func (x Index) Pages() (names []string) {
	for _, p := range x.Packages {
		for _, t := range p.Tests {
			for _, f := range t.Findings {
				if f.Page != "" && !slices.Contains(names, f.Page) {
					names = append(names, f.Page)
				}
			}
		}
	}
	return names
}

// WriteIndex writes the page of an Index.
func WriteIndex(w io.Writer, x Index) error { return pages.ExecuteTemplate(w, "index.html", x) }
