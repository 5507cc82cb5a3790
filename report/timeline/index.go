package timeline

import "io"

// An Index leads from the tests of a run to the pages of their findings.
type Index struct {
	Title           string // one sentence
	Findings, Tests int    // how many there are
	Packages        []IndexPackage
}

// An IndexPackage is a package of an Index.
type IndexPackage struct {
	Path  string
	Error string // why there is no more of it
	Tests []IndexTest
}

// An IndexTest is a test of an Index.
type IndexTest struct {
	Name, Verdict string // "fail", "pass", "skip"
	How           string // how far it was explored
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
