package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"heddle/build"
	"heddle/clip"
	"heddle/report"
	"heddle/report/timeline"
)

// drawClips is heddle report: it executes clips again and draws what happens.
func (t *tool) drawClips(ctx context.Context, args []string) int {
	o := new(options)
	files := func(fs *flag.FlagSet) {
		fs.StringVar(&o.html, "html", "", "write one page that shows all the clips to `file`")
		fs.StringVar(&o.md, "md", "", "write the findings of the clips to `file` as Markdown; - is standard output")
	}
	clips, err := t.parse("report", o, args, true, files, o.editorFlag, o.buildFlags, o.hangFlag)
	if err != nil {
		return t.parseError(err)
	}
	if o.html == "" && o.md == "" || len(clips) == 0 {
		return t.misuse("usage: heddle report -html FILE|-md FILE [flags] CLIP...\nCLIP is a file below testdata/heddle, as heddle test prints it.")
	}
	html, err := t.create(o.html)
	if err != nil {
		return t.fail(err)
	}
	defer html.abandon()
	md, err := t.create(o.md)
	if err != nil {
		return t.fail(err)
	}
	defer md.abandon()
	var pages []timeline.Finding
	var texts []string
	code := exitFine
	for _, path := range clips {
		page, markdown, err := t.drawClip(ctx, o, t.abs(path))
		if ctx.Err() != nil {
			return exitInterrupted
		}
		if err != nil {
			code = t.fail(err)
			continue
		}
		for _, note := range page.Notes {
			fmt.Fprintf(t.Stderr, "heddle: %s: %s\n", path, note)
		}
		pages = append(pages, page)
		if md != nil {
			texts = append(texts, markdown())
		}
	}
	if len(pages) == 0 {
		return code
	}
	err = errors.Join(html.finish(func(w io.Writer) error { return timeline.Write(w, pages) }),
		md.finish(func(w io.Writer) error { return report.Markdowns(w, texts, t.about(ctx, nil)) }))
	if err != nil {
		return t.fail(err)
	}
	return code
}

// A destination is a file that is created before there is anything to write, so that a path that
// cannot be written is told at once. It is removed again if it is not finished. A nil destination
// is none.
type destination struct {
	file     *os.File
	w        io.Writer
	finished bool
}

// create creates a file; "-" is standard output, "" none.
func (t *tool) create(path string) (*destination, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return &destination{w: t.Stdout}, nil
	}
	file, err := os.Create(t.abs(path))
	if err != nil {
		return nil, err
	}
	return &destination{file: file, w: file}, nil
}

func (f *destination) finish(write func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	f.finished = true
	err := write(f.w)
	if f.file == nil {
		return err
	}
	if err = errors.Join(err, f.file.Close()); err != nil {
		return fmt.Errorf("%s cannot be written: %w", f.file.Name(), err)
	}
	return nil
}

func (f *destination) abandon() {
	if f != nil && f.file != nil && !f.finished {
		f.file.Close()
		os.Remove(f.file.Name())
	}
}

// drawClip executes the clip of a file.
func (t *tool) drawClip(ctx context.Context, o *options, path string) (page timeline.Finding,
	md func() string, err error) {
	file, err := clip.ReadFile(path)
	if err != nil {
		return page, nil, err
	}
	e := &exploration{tool: t, o: o.under(&file.Clip), main: file.Test == mainTest}
	defer setEnvironment(&file.Clip)()
	p, err := e.buildFor(ctx, path, file)
	if err != nil {
		return page, nil, err
	}
	if p.Failed != "" {
		return page, nil, fmt.Errorf("%s: the package %s does not compile:\n%s", path, p.ImportPath,
			strings.TrimSpace(p.Failed))
	}
	file.Clip.Path = path
	return e.draw(ctx, p, file, nil)
}

// draw executes a clip and returns what happens as a page, and, made by md, as Markdown; found is
// the finding that the clip was kept for, if that is known.
func (e *exploration) draw(ctx context.Context, p *build.Package, file *clip.File,
	found *report.Finding) (page timeline.Finding, md func() string, err error) {
	show := e.report.Replay(&file.Clip)
	ended, err := e.follow(ctx, p, &file.Clip, show)
	if err != nil {
		return page, nil, err
	}
	for i := range file.Steps { // a clip names files as they are called in its package's folder
		if at := &file.Steps[i].Where; at.File != "" && !filepath.IsAbs(at.File) {
			at.File = filepath.Join(p.Dir, at.File)
		}
	}
	var early error
	if ended != nil {
		early = ended
	}
	page = show.Page(p.ImportPath, found, early)
	page.About = e.tool.about(ctx, file)
	return page, func() string { return show.Markdown(p.ImportPath, early) }, nil
}

// drawAll draws the findings of a package, each on a page of its own in the folder of -html.
func (e *exploration) drawAll(ctx context.Context, p *build.Package, res *report.Result) {
	for _, t := range res.Tests {
		for i := range t.Findings {
			f := &t.Findings[i]
			if f.ClipPath == "" || ctx.Err() != nil {
				continue
			}
			name := pageName(res.Package, t.Name, f.ClipPath)
			if err := e.drawFinding(ctx, p, f, filepath.Join(e.tool.abs(e.o.html), name)); err != nil {
				e.report.Note(fmt.Sprintf("%s cannot be drawn: %v", f.ClipPath, err))
				continue
			}
			f.Page = name
		}
	}
}

func (e *exploration) drawFinding(ctx context.Context, p *build.Package, f *report.Finding,
	out string) error {
	from := e.tool.abs(f.ClipPath)
	file, err := clip.ReadFile(from)
	if err != nil {
		return err
	}
	file.Clip.Path = from
	page, _, err := e.draw(ctx, p, file, f)
	if err != nil {
		return err
	}
	return writeFile(out, func(w io.Writer) error { return timeline.Write(w, []timeline.Finding{page}) })
}

// patternsPage is the page with the patterns of -mapcover, in the folder of -html.
const patternsPage = "patterns.html"

// writeIndex writes the page that leads to all others, and links these with each other.
func (e *exploration) writeIndex(ctx context.Context) error {
	results := e.report.Results()
	index := report.Index(results)
	if len(report.Patterns(results)) > 0 {
		index.Patterns = patternsPage
	}
	index.About = e.tool.about(ctx, nil)
	folder := e.tool.abs(e.o.html)
	out := filepath.Join(folder, "index.html")
	if err := writeFile(out, func(w io.Writer) error { return timeline.WriteIndex(w, index) }); err != nil {
		return err
	}
	if all := report.Patterns(results); len(all) > 0 {
		err := writeFile(filepath.Join(folder, patternsPage),
			func(w io.Writer) error { return timeline.WriteCovered(w, all) })
		if err != nil {
			return err
		}
	}
	if err := link(folder, index.Pages()); err != nil {
		return err
	}
	e.report.Note("pages: " + out)
	return nil
}

// link leads from each of the pages in a folder to its neighbours and to the index.
func link(folder string, pages []string) error {
	for i, name := range pages {
		l := timeline.Links{Index: "index.html", N: i + 1, Of: len(pages)}
		if i > 0 {
			l.Before = pages[i-1]
		}
		if i+1 < len(pages) {
			l.After = pages[i+1]
		}
		if err := timeline.Link(filepath.Join(folder, name), l); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// pageName is a name for a finding's page that is fit for a file and stays the same from run to
// run.
func pageName(pkg, test, clipPath string) string {
	name := path.Base(pkg) + "-" + test + "-" + path.Base(filepath.ToSlash(clipPath))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' ||
			r == '_' {
			return r
		}
		return '_'
	}, name) + ".html"
}
