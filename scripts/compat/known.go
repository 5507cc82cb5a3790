package main

import "strings"

// known are the findings that are theirs; docs/found.md explains each.
var known = []struct {
	pkg, test, kind string // test: a prefix
	note            string
}{
	{"github.com/sourcegraph/conc/pool", "Test", "leak", "tests that provoke a panic never wait for the pool"},
}

func (f *finding) explained() string {
	for _, k := range known {
		if k.pkg == f.pkg && strings.HasPrefix(f.test, k.test) && k.kind == f.kind {
			return k.note
		}
	}
	return ""
}
