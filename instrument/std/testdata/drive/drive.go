// Package drive is a stand-in for heddle's: it runs every test twice under a
// scheduler of one goroutine, or says that it has nothing to do.
package drive

import (
	"fmt"
	"os"
	"unsafe"

	"heddlert/sched"
)

type Test struct {
	Name, Kind string
	Fuzz       bool
	Named      bool
	Body       func(o *Outcome)
}

type Outcome struct {
	Failed, Skipped, Finished bool
	Output                    []byte
	Mark                      func()

	said bool // that the test fails
}

// Fails notes that the test says that it fails.
func (o *Outcome) Fails() { o.said = true }

func (o *Outcome) Subtest(string) {}

// FuzzPattern, Input, WantsCorpus, Corpus, Arguments and Pass stand for those of a run that searches no inputs.
func FuzzPattern() string { return "" }

func Input() (values []any, name string) { return nil, "" }

func WantsCorpus() bool { return false }

func Corpus([]any) {}

func Arguments() []any { return nil }

func Pass() {}

func Returned() {}

// Parallel stands for the real one.
func Parallel(n int) int { return n }

// Active reports whether the variable STUB_DRIVE is set.
func Active() bool { return os.Getenv("STUB_DRIVE") != "" }

// Run prints what became of each execution.
func Run(tests []Test) int {
	code := 0
	for _, t := range tests {
		for i := 1; i <= 2; i++ {
			var o Outcome
			panicked := sched.Run(func() { t.Body(&o) })
			fmt.Printf("%s %s %d: failed %v, skipped %v, finished %v, panicked %v\n%s", t.Kind, t.Name, i, o.Failed, o.Skipped, o.Finished, panicked, o.Output)
			if o.Failed != o.said && t.Kind == "test" { // seeds run in goroutines that are not controlled here
				fmt.Println("Fails was called:", o.said)
			}
			if o.Failed {
				code = 1
			}
		}
	}
	return code
}

// ExampleFrames stands for the real one.
var ExampleFrames []uintptr

// Capture stands for the real one.
func Capture(*os.File) {}

func HasProperties() bool { return false }

func PropertyBeside() {}

func Silent() bool { return false }

type Part struct {
	Values []any
	Seed   uint64
}

func Property(zero []any) *Part { return &Part{Values: zero} }

func (p *Part) Drew([]any) {}

func (p *Part) Pass(int) {}

type Piece struct {
	Value     int
	Off, Size uintptr
	Whole     bool
}

func (p *Part) PassTo([][]Piece) {}

func (p *Part) Judged(bool) {}

func (p *Part) Put(unsafe.Pointer, []Piece) {}

func (p *Part) Decide(i int) bool { return p.Values[i].(bool) }

func PropertyBy(uintptr) {}
