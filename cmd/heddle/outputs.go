package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"heddle/report"
	"heddle/report/timeline"
)

// outputFlags define the files that the results are written to, beside what is printed.
func (o *options) outputFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.sarif, "sarif", "", "write the findings to `file` as SARIF 2.1.0")
	fs.StringVar(&o.junit, "junit", "", "write the results to `file` as JUnit XML")
	fs.StringVar(&o.md, "md", "", "write the findings to `file` as Markdown, for pull requests and issue trackers")
	fs.StringVar(&o.html, "html", "", "draw each finding on a page of its own in `folder`, with an index.html")
	o.editorFlag(fs)
}

// editorFlag is for the commands that draw pages.
func (o *options) editorFlag(fs *flag.FlagSet) {
	fs.Func("editor", "positions on pages of -html open the file in an editor: `name` ("+
		strings.Join(timeline.EditorNames(), ", ")+") or an address with {path} and {line}; the pages then have the paths of this machine",
		func(s string) (err error) {
			o.editor, err = timeline.ParseEditor(s)
			return err
		})
}

// An outputFile is a file for results. It is opened before anything is built,
// so that a path that cannot be written is told of at once.
type outputFile struct {
	file  *os.File
	write func(io.Writer, []*report.Result) error
}

// openOutputs creates the files that the flags name.
func (t *tool) openOutputs(o *options) ([]outputFile, error) {
	if o.html != "" {
		if err := os.MkdirAll(t.abs(o.html), 0o777); err != nil {
			return nil, err
		}
	}
	var out []outputFile
	for _, f := range []struct {
		path  string
		write func(io.Writer, []*report.Result) error
	}{
		{o.sarif, func(w io.Writer, r []*report.Result) error { return report.SARIF(w, t.Dir, r) }},
		{o.junit, report.JUnit},
		{o.md, func(w io.Writer, r []*report.Result) error {
			return report.Markdown(w, r, t.about(context.Background(), nil))
		}},
	} {
		if f.path == "" {
			continue
		}
		if f.path == "-" {
			closeOutputs(out)
			return nil, errors.New("standard output has the report of the run: name a file instead of -")
		}
		file, err := os.Create(t.abs(f.path))
		if err != nil {
			closeOutputs(out)
			return nil, err
		}
		out = append(out, outputFile{file, f.write})
	}
	return out, nil
}

func closeOutputs(out []outputFile) {
	for _, f := range out {
		f.file.Close()
	}
}

// writeOutputs writes and closes the files.
func writeOutputs(out []outputFile, results []*report.Result) error {
	var first error
	for _, f := range out {
		err := f.write(f.file, results)
		if e := f.file.Close(); err == nil {
			err = e
		}
		if err != nil && first == nil {
			first = fmt.Errorf("%s cannot be written: %w", f.file.Name(), err)
		}
	}
	return first
}

// abs makes a path of the user's absolute.
func (t *tool) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.Dir, path)
}
