package drive

import (
	"io"
	"os"

	"heddle/rt/sched"
)

// Main is Run for a main package (heddle run).
func Main(f func()) {
	if !Active() {
		f()
		return
	}
	t := Test{Name: "main", Kind: "main", printed: &printed{path: config.PrintFile, from: config.PrintFrom}}
	t.Body = func(o *Outcome) {
		f()
		o.Finished = true
		sched.S.Exit()
	}
	os.Exit(Run([]Test{t}))
}

// stderr is where messages of heddle's own go.
var stderr = os.Stderr

// printed is where standard output and error of a main package go: what they
// were for the process in the first executions, as the user expects of a program
// that is run, then a file that each execution begins anew, so that thousands
// of them do not print everything thousands of times.
type printed struct {
	path string   // of the file
	from int      // the first execution whose output goes there; 0: none
	n    int      // executions so far
	file *os.File // nil as long as nothing goes there
}

// begin is called before each execution.
func (p *printed) begin() {
	if p == nil || p.from == 0 {
		return
	}
	p.n++
	if p.n == p.from {
		p.redirect()
	}
	if p.file != nil && p.size() > 0 {
		p.file.Truncate(0)
	}
}

func (p *printed) redirect() {
	f, err := os.OpenFile(p.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return // the output is shown once too often
	}
	old, err := dup(2)
	if err != nil {
		f.Close()
		return
	}
	stderr = os.NewFile(uintptr(old), "stderr")
	p.file = f
	dup2(int(f.Fd()), 1)
	dup2(int(f.Fd()), 2)
}

func (p *printed) size() int64 {
	info, err := p.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// mostPrinted is how much of an execution's output a finding keeps.
const mostPrinted = 64 << 10

// text returns what the last execution printed, nil if that was not kept.
func (p *printed) text() []byte {
	if p == nil || p.file == nil {
		return nil
	}
	n := p.size()
	b := make([]byte, min(n, mostPrinted))
	if k, err := p.file.ReadAt(b, 0); err != nil && err != io.EOF {
		b = b[:k]
	}
	return b
}
