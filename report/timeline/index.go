package timeline

import "io"

// An Index links the tests of a run to the pages of their findings.
type Index struct {
	Title           string // one sentence
	Findings, Tests int    // numbers of findings and tests
	Packages        []IndexPackage
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
	Heading, Message, Page string
	Places                 []string
}

// WriteIndex writes the page of an Index.
func WriteIndex(w io.Writer, x Index) error { return pages.ExecuteTemplate(w, "index.html", x) }
