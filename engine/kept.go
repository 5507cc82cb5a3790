package engine

import (
	"fmt"
	"os"
	"path/filepath"

	"heddle/symbolic/corpus"
)

// Inputs that took new branches are kept where go test -fuzz keeps its own, a file of the corpus
// each: in the folder fuzz of Go's cache, by package and target. Each of the two begins with what
// the other found. go clean -fuzzcache removes them.

// inputsKept returns the inputs that are kept for the test and have the types of one of its inputs.
// Files that are none are passed over, as they may be of an earlier version of the target.
func (e *exploration) inputsKept(like []string) (inputs [][]string) {
	if e.cfg.FuzzCache == "" {
		return nil
	}
	dir := filepath.Join(e.cfg.FuzzCache, e.test)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil // there are none
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			continue
		}
		if values, err := corpus.Parse(data); err == nil && sameTypes(corpus.Texts(values), like) {
			inputs = append(inputs, corpus.Texts(values))
		}
	}
	return inputs
}

// sameTypes reports whether two inputs, in the notation of package corpus, have the same types.
func sameTypes(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, err := corpus.Value(a[i])
		y, err2 := corpus.Value(b[i])
		if err != nil || err2 != nil || fmt.Sprintf("%T", x) != fmt.Sprintf("%T", y) {
			return false
		}
	}
	return true
}

// keepInput keeps an input for the next run. Where that fails, the next run has to find it again.
func (e *exploration) keepInput(input []string) {
	if e.cfg.FuzzCache == "" {
		return
	}
	dir, file := filepath.Join(e.cfg.FuzzCache, e.test), corpus.File(input)
	if os.MkdirAll(dir, 0o777) == nil {
		os.WriteFile(filepath.Join(dir, corpus.Name(file)), file, 0o666)
	}
}
