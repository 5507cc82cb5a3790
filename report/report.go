// Package report produces everything that heddle prints: the text after go test's example, the
// JSON events of go test -json with two more, the status line, the table of a replay, and files
// for CI systems (JUnit, SARIF). The command passes in what it learns and decides nothing about
// the presentation:
//
//	r := report.New(report.Options{Out: os.Stdout, Err: os.Stderr})
//	p := r.Package("example.com/bank")
//	p.Record(rec)             // every wire.Record of the test binary except findings
//	p.Finding(test, f, path)  // a finding and the clip it was kept in
//	p.End(elapsed, nil)
//	os.Exit(r.Close())
//
// which prints
//
//	--- FAIL: TestTransfer (37 executions, 11ms)
//	    DATA RACE on acct.balance
//	      two goroutines access acct.balance at the same time, and at least one writes
//	      write  bank.go:22  goroutine main/2  acct.balance = b - n
//	      read   bank.go:21  goroutine main/1  b := acct.balance
//	    clip    testdata/heddle/TestTransfer/3f9a02c1   (2 switches)
//	    replay  heddle replay testdata/heddle/TestTransfer/3f9a02c1
//	ok   TestClose   all interleavings covered by 12,096 executions (0.2s)
//	FAIL
//	FAIL	example.com/bank	0.412s
//
// With -json the same text is in events with Action "output", as cmd/test2json documents them.
// Findings and summaries also have events of their own, "finding" and "summary".
//
// Replay.Page returns the content of the HTML page for a finding; package timeline draws it.
package report

import (
	"io"
	"sync"
	"time"

	"heddle/explore/why"
	"heddle/report/cause"
	"heddle/report/syntax"
	"heddle/report/timeline"
	"heddle/rt/wire"
)

// Options say where and how to print.
type Options struct {
	Out, Err   io.Writer
	Status     io.Writer       // a terminal for the status line; nil: none
	MapCover   bool            // print MAP-coverage
	Asks       bool            // heddle ask: a finding means that the answer is yes
	JSON       bool            // events instead of text
	Markdown   bool            // Finding.Markdown is wanted
	Verbose    bool            // passing tests' output, whole stacks, every step
	Colour     bool            // Out is a terminal
	Width      int             // of tables, in columns; 0: 120
	Dir        string          // files below it are printed relative to it
	GOROOT     string          // files below GOROOT/src are the standard library's
	Editor     timeline.Editor // that pages lead to
	ReplayArgs []string        // follow the clip in the command that replays it
	Runs       int             // most executions of a test, for the status line; 0: unknown

	// Known says by what a finding of a test is known, "" if it is new. places are those that make
	// the finding, in the user's source. nil: all are new.
	Known func(pkg, test string, f *wire.Finding, places []wire.Place) string
	// Lookup finds a site in the position tables.
	Lookup func(site uint64) (SitePos, bool)
	// Object returns the source's name of the object of an operation ("mu" of mu.Lock()) by
	// position.
	Object func(file string, line int, op string) string
	// Source returns a line of a file without white space at its ends, or "" if there is none.
	// nil: ReadSource.
	Source func(file string, line int) string
	// Now is the clock of events and of the status line; nil: time.Now.
	Now func() time.Time
}

// A SitePos is a row of a position table. It converts to and from instrument.SitePos.
type SitePos struct {
	File      string
	Line, Col int
	Op        string
	Text      string // source of the variable, channel or receiver
	Type      string
}

// A Reporter prints the packages of one run of the command. Its methods and those of its Packages
// may be called concurrently.
type Reporter struct {
	o  Options
	mu sync.Mutex
	// running packages in the order of their start: the first prints, the others store their text
	queue   []*Package
	results []*Result
	parsed  *syntax.Files // of the program; made once
	ofStd   sync.Map      // by file: whether it is of the standard library
	causes  cause.Groups  // of all findings of the run
	told    []told        // one for each cause that was reported
	status  status
	failed  bool
	unbuilt bool
}

// New returns a Reporter.
func New(o Options) *Reporter {
	if o.Width == 0 {
		o.Width = 120
	}
	if o.Source == nil {
		o.Source = ReadSource
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.Err == nil {
		o.Err = io.Discard
	}
	r := &Reporter{o: o, parsed: syntax.New(readIn(o.Dir))}
	r.causes.Code = r.newCode()
	r.status.begin = o.Now()
	return r
}

// Package starts a package. The texts of concurrent packages are printed one package after the
// other.
func (r *Reporter) Package(path string) *Package {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &Package{r: r, path: path, result: &Result{Package: path}}
	r.queue = append(r.queue, p)
	r.results = append(r.results, p.result)
	if r.o.JSON {
		r.event(event{Action: "start", Package: path})
	}
	return p
}

// NoTests reports a package without test files.
func (r *Reporter) NoTests(path string) {
	p := r.Package(path)
	r.mu.Lock()
	defer r.mu.Unlock()
	p.text("", "?   \t"+path+"\t[no test files]\n")
	p.result.Skipped = true
	p.ended("skip", 0, "")
}

// BuildFailed reports a package that did not compile. output is the go command's.
func (r *Reporter) BuildFailed(path, output string) {
	if output != "" && output[len(output)-1] != '\n' {
		output += "\n"
	}
	r.mu.Lock()
	r.unbuilt = true
	if r.o.JSON {
		for line := range lines(output) {
			r.jsonLine(buildEvent{path, "build-output", line})
		}
		r.jsonLine(buildEvent{path, "build-fail", ""})
	} else {
		r.status.clear(r.o.Status)
		io.WriteString(r.o.Err, output)
	}
	r.mu.Unlock()
	p := r.Package(path)
	r.mu.Lock()
	defer r.mu.Unlock()
	p.result.BuildError = output
	p.text("", "FAIL\t"+path+" [build failed]\n")
	p.ended("fail", 0, path)
}

// Note prints a line beside the results, for example about what heddle leaves out.
func (r *Reporter) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.clear(r.o.Status)
	io.WriteString(r.o.Err, "heddle: "+text+"\n")
}

// Through returns a writer to w for the output of a program while the report is printed: it keeps
// the output apart from the status line.
func (r *Reporter) Through(w io.Writer) io.Writer { return through{r, w} }

type through struct {
	r *Reporter
	w io.Writer
}

func (t through) Write(p []byte) (int, error) {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	t.r.status.clear(t.r.o.Status)
	return t.w.Write(p)
}

// Close ends the report and returns the exit code: 0 without findings, 1 with findings or
// failures, 2 if a package did not build.
func (r *Reporter) Close() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.clear(r.o.Status)
	code := 0
	switch {
	case r.failed:
		code = 1
	case r.unbuilt:
		code = 2
	}
	r.end()
	if code != 0 && len(r.results) > 1 && !r.o.JSON {
		io.WriteString(r.o.Out, r.red("FAIL")+"\n")
	}
	return code
}

// Results returns the results so far, with places resolved, for JUnit and SARIF.
func (r *Reporter) Results() []*Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*Result(nil), r.results...)
}

// A Result is the result of one package.
type Result struct {
	Package    string
	Elapsed    float64 // seconds
	Failed     bool
	Skipped    bool   // has no test files
	BuildError string // output of the compiler
	Error      string // how the test binary ended, if not well
	Tests      []*TestResult
}

// A TestResult is the result of one test.
type TestResult struct {
	Name       string
	Result     string  // "pass", "fail", "skip"
	Reason     string  // why not complete, or why skipped
	Why        why.End // the same with a code, if the test was explored
	Strategy   string
	Executions int
	Complete   bool
	Covering   int     // executions after which the search was complete
	Estimate   float64 // estimated executions of a complete search; 0: unknown
	Elapsed    float64 // seconds
	Output     string  // of the first execution
	Notes      []string
	Cached     bool      // it was not explored again: the verdict is that of an earlier run
	Findings   []Finding // without those that were known before
	Known      []Finding
	Predicted  *wire.Predicted   // places resolved; nil without prediction
	verdicts   int               // of the prediction that goes on: how many were told
	Patterns   *timeline.Covered // memory-access patterns, with -mapcover; nil: none are listed
	Coverage   *wire.Coverage    // of memory-access patterns, places resolved; nil if not counted
}

// A Finding is a finding with its places resolved, paths relative to Options.Dir, and the path of
// its clip.
type Finding struct {
	*wire.Finding
	ClipPath string
	Markdown string // the same as Markdown, if Options.Markdown
	Text     string // explanation in the text report
	Page     string // name of the file with its page, or ""

	// Cause names the cause, by the clip of the finding that is told in full. Findings with one
	// cause have one name.
	Cause string
	// Of is the heading of that finding, with its test, and "" if this is the one.
	Of string

	index   int  // in Reporter.causes
	earlier bool // an earlier test told of the cause
	// Known says by what it was known before, and is "" if it is new.
	Known string

	explained *explanation // nil: not yet
}
