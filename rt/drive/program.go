package drive

import (
	"io"
	"os"

	"heddle/rt/hook"
	"heddle/rt/sched"
)

// Main is Run for a main package (heddle run).
func Main(f func()) {
	hook.Begin()
	if !Active() {
		f()
		return
	}
	t := Test{Name: "main", Kind: "main", Named: true, printed: &printed{path: config.PrintFile, whole: true}}
	t.Body = func(o *Outcome) {
		f()
		o.Finished = true
		sched.S.Exit()
	}
	os.Exit(Run([]Test{t}))
}

// stderr is where messages of heddle's own go.
var stderr = os.Stderr

// printed is where standard output and error of a program go: for one
// execution of each test, or of a main package, to where the user sees them, for
// the others to a file that is begun anew. Thousands of executions do not
// print everything thousands of times.
type printed struct {
	path  string // of the file; "": the user sees all
	whole bool   // what one execution printed is asked for
	file  *os.File
	shown [3]int // copies of the file descriptors 1 and 2 as they were
	away  bool   // the output goes to the file
	n     int    // executions
}

// Of a test's output nothing is kept with its findings; asking for the size of the file takes time.
const emptyEvery = 256

// begin is called before each execution. show: the user is to see this one's output.
func (p *printed) begin(show bool) {
	if p == nil || p.path == "" {
		return
	}
	if p.file == nil {
		if err := p.open(); err != nil {
			p.path = "" // the user sees all
			return
		}
	}
	if show == p.away {
		p.away = !show
		for fd := 1; fd <= 2; fd++ {
			if show {
				dup2(p.shown[fd], fd)
			} else {
				dup2(int(p.file.Fd()), fd)
			}
		}
	}
	p.n++
	if p.away && (p.whole || p.n%emptyEvery == 0) && p.size() > 0 {
		p.file.Truncate(0)
	}
}

func (p *printed) open() (err error) {
	for fd := 1; fd <= 2; fd++ {
		if p.shown[fd], err = dup(fd); err != nil {
			return err
		}
	}
	if p.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
		stderr = os.NewFile(uintptr(p.shown[2]), "stderr")
	}
	return err
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
	if p == nil || !p.away {
		return nil
	}
	n := p.size()
	b := make([]byte, min(n, mostPrinted))
	if k, err := p.file.ReadAt(b, 0); err != nil && err != io.EOF {
		b = b[:k]
	}
	return b
}
