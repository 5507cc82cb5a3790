// Package build makes test binaries from package patterns:
//
//	patterns ──go list──► packages ──instrument──► rewritten files
//	──overlay, go test -c──► one binary a package
//
// Whether and how a package is rewritten is decided per unit. Rewritten files and finished
// binaries stay in a cache, by content: after an edit only the affected units are made again, and
// without an edit only go list and hashing remain. The go command decides everything about
// modules, workspaces, vendor folders and build tags: it is asked once (list.go), and it compiles
// (compile.go).
//
// Words: a unit is a set of files that are rewritten together and share a position table. A root
// is a package that was asked for. To lay a package is to put it under GOROOT/src/heddlert by the
// overlay.
package build
