package clip

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
)

// A sequence is written by hand. It lists operations in the order in which they are to happen, one
// in each line, and "heddle replay" reports whether the program allows it (specification-based
// testing: Lei & Carver 2006, section 10).
//
//	heddle sequence v1
//	test     TestTransfer
//	package  example.com/bank
//	steps
//	main/1   lock      bank.go:20
//	main/2   trylock               # fails
//	main/1   send      with main/2
//
// A step is a goroutine and an operation. A position may follow, and the partner of a
// communication over an unbuffered channel. Operations of kinds that no step names happen whenever
// they are needed.
const sequenceMagic = "heddle sequence v"

// maxSequence is the largest number of steps in a sequence.
const maxSequence = 10_000

// IsSequence reports whether data begins with the first line of a sequence.
func IsSequence(data []byte) bool { return bytes.HasPrefix(data, []byte(sequenceMagic)) }

// ReadAny reads a clip or a sequence. Clip.Sequence tells them apart.
func ReadAny(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ReadFile(path)
	}
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := make([]byte, len(sequenceMagic))
	if n, _ := io.ReadFull(r, head); !IsSequence(head[:n]) {
		return ReadFile(path)
	}
	rest, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, err
	}
	return ParseSequence(path, append(head, rest...))
}

// ParseSequence reads the text of a sequence. name becomes its Path and stands in errors.
func ParseSequence(name string, data []byte) (*File, error) {
	return parsed(name, data, (*parser).sequence)
}

func (p *parser) sequence() {
	p.f.Sequence, p.f.Policy = true, "first"
	line, _, ok := p.next()
	if v, _ := strings.CutPrefix(strings.TrimRight(line, " \t"), sequenceMagic); !ok || v != "1" ||
		p.line != 1 {
		p.fail(fmt.Sprintf("%q", sequenceMagic+"1"), shown(line))
	}
	p.sequenceHeader()
	for {
		_, line, ok := p.next()
		if !ok {
			break
		}
		if len(p.f.Steps) == maxSequence {
			p.fail(fmt.Sprintf("at most %d steps", maxSequence), "more")
		}
		p.f.Steps = append(p.f.Steps, p.sequenceStep(line))
	}
	if len(p.f.Steps) == 0 {
		p.fail("a step, such as \"main/1 lock\"", "the end of the file")
	}
}

func (p *parser) sequenceHeader() {
	for {
		_, line, ok := p.next()
		if !ok {
			p.fail(`a header line or "steps"`, "the end of the file")
		}
		words := strings.Fields(uncommented(line))
		switch {
		case len(words) == 1 && words[0] == "steps" && p.f.Test == "":
			p.fail("a line that names the test before the steps", "none")
		case len(words) == 1 && words[0] == "steps":
			return
		case len(words) != 2 || words[0] != "test" && words[0] != "package":
			p.fail("test NAME, package PATH or steps", shown(line))
		case p.seen[words[0]] > 0:
			p.fail(fmt.Sprintf("%s once (it stands in line %d)", words[0], p.seen[words[0]]), "it again")
		}
		p.seen[words[0]] = p.line
		if words[0] == "test" {
			p.f.Test = words[1]
		} else {
			p.f.Package = words[1]
		}
	}
}

// uncommented returns line without the comment at its end.
func uncommented(line string) string {
	text, _, _ := strings.Cut(line, "#")
	return text
}

func (p *parser) sequenceStep(line string) wire.Step {
	words := strings.Fields(uncommented(line))
	if len(words) < 2 {
		p.fail("a goroutine and an operation", shown(line))
	}
	s := wire.Step{G: p.goroutine(words[0]), Op: words[1], Choice: -1, Row: p.line}
	if op, ok := trace.ParseOp(s.Op); !ok || slices.Contains(unsequenced, op) {
		p.fail("an operation such as lock, send or wg-wait", shown(s.Op))
	}
	for words = words[2:]; len(words) > 0; words = words[1:] {
		i := strings.LastIndexByte(words[0], ':')
		switch {
		case words[0] == "with" && len(words) > 1 && s.With == "":
			s.With, words = p.goroutine(words[1]), words[1:]
		case i > 0 && s.Where.Line == 0 && digits(words[0][i+1:]):
			n, err := strconv.Atoi(words[0][i+1:])
			if err != nil || n < 1 {
				p.fail("a position such as bank.go:20", shown(words[0]))
			}
			s.Where.File, s.Where.Line = words[0][:i], n
		default:
			p.fail("a position such as bank.go:20, or \"with\" and a goroutine", shown(words[0]))
		}
	}
	return s
}

// unsequenced are the operations that cannot be steps of a sequence.
var unsequenced = []trace.Op{trace.OpNone, trace.OpGo, trace.OpEnd, trace.OpNow, trace.OpNative,
	trace.OpChoose, trace.OpIdle, trace.OpTimerFire}

// goroutine checks the name of a goroutine: main, main/2, main/2/1.
func (p *parser) goroutine(s string) string {
	parts := strings.Split(s, "/")
	good := parts[0] == "main" || parts[0] == "timers" && len(parts) > 1
	for _, n := range parts[1:] {
		good = good && digits(n) && n[0] != '0' && len(n) < 10
	}
	if !good {
		p.fail("a goroutine such as main or main/2", shown(s))
	}
	return s
}

// FormatSequence returns f as the text of a sequence.
func (f *File) FormatSequence() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s1\ntest     %s\n", sequenceMagic, f.Test)
	if f.Package != "" {
		fmt.Fprintf(&b, "package  %s\n", f.Package)
	}
	b.WriteString("steps\n")
	for i := range f.Steps {
		s := &f.Steps[i]
		fmt.Fprintf(&b, "%s %s", s.G, s.Op)
		if s.Where.Line > 0 {
			fmt.Fprintf(&b, " %s:%d", s.Where.File, s.Where.Line)
		}
		if s.With != "" {
			fmt.Fprintf(&b, " with %s", s.With)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
