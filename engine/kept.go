package engine

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"heddle/symbolic/corpus"
)

// Inputs that took new branches are kept where go test -fuzz keeps its own, a file of the corpus
// each: in the folder fuzz of Go's cache, by package and target. Each of the two begins with what
// the other found. go clean -fuzzcache removes them.

// inputsKept returns the inputs that are kept for the test and have the types of one of its inputs.
// Files that are none are passed over, as they may be of an earlier version of the target.
func (e *exploration) inputsKept(like []string) (inputs [][]string) {
	wanted, err := corpus.Values(like)
	if e.cfg.FuzzCache == "" || err != nil {
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
		if values, err := corpus.Parse(data); err == nil && slices.EqualFunc(values, wanted, sameType) {
			inputs = append(inputs, corpus.Texts(values))
		}
	}
	return inputs
}

func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

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
