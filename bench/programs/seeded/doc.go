// Package seeded has, in a folder each, types with one concurrency bug, and their fixed
// twins (FixedT beside T), as subjects of heddle gen. They were written, and committed, before the
// gen that is measured with them. bench -gen runs them.
package seeded

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Type has a bug.
type Type struct{ Package, Type string }

// All lists the types.
var All = []Type{
	{"account", "Account"}, {"bounded", "Queue"}, {"builder", "Limiter"}, {"bus", "Bus"}, {"event", "Event"},
	{"handles", "Registry"}, {"heap", "Queue"}, {"journal", "Journal"}, {"latch", "Latch"},
	{"lazy", "Value"}, {"lease", "Resource"}, {"lru", "Cache"}, {"meter", "Meter"}, {"mirror", "Register"},
	{"ordered", "Set"}, {"permits", "Semaphore"}, {"pool", "Pool"}, {"shards", "Map"}, {"signals", "Queue"},
	{"stack", "Stack"}, {"token", "RWLock"}, {"versions", "Store"}, {"waiting", "Queue"},
	{"window", "Window"},
}

//go:embed */*.go
var sources embed.FS

// WriteModule writes the packages into dir, as module example.com/seeded.
func WriteModule(dir string) error {
	err := fs.WalkDir(sources, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		to := filepath.Join(dir, path)
		return errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, text, 0o666))
	})
	return errors.Join(err,
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/seeded\n\ngo 1.26\n"), 0o666))
}
