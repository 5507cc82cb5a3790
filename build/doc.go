// Package build makes test binaries from package patterns:
//
//	patterns ──go list──► packages ──instrument──► rewritten files ──overlay, go test -c──► one binary a package
//
// What is rewritten, and how, is decided per package (see unit); rewritten
// files and finished binaries are kept in a cache by content, so that after an
// edit only what the edit touches is done again, and when nothing changed
// only go list and hashing are left. Everything about modules, workspaces,
// vendor folders and build tags is left to the go command, which is asked
// once (list.go) and does the compiling (compile.go).
//
// Words: a unit is a set of files that is rewritten together and shares a
// position table; a root is a package that was asked for; to lay a package is
// to put it under GOROOT/src/heddlert by the overlay.
package build
