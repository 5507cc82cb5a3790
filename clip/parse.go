package clip

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/wire"
	"heddle/symbolic/corpus"
	"heddle/trace"
)

// An Error says what is wrong with a clip, and in which line.
type Error struct {
	File string
	Line int // from 1
	Want string
	Got  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: expected %s, found %s", e.File, e.Line, e.Want, e.Got)
}

// Parse reads the text of a clip. name becomes the clip's Path and stands in errors.
func Parse(name string, data []byte) (*wire.Clip, error) {
	f, err := ParseFile(name, data)
	if err != nil {
		return nil, err
	}
	return &f.Clip, nil
}

// ParseFile reads the text of a clip with the build it was recorded on.
func ParseFile(name string, data []byte) (*File, error) {
	return parse(name, data, MaxSteps)
}

func parse(name string, data []byte, maxSteps int) (*File, error) {
	return parsed(name, data, func(p *parser) {
		p.maxSteps = maxSteps
		p.magic()
		if p.header() {
			p.packed()
		} else {
			p.steps()
		}
		p.nothing()
	})
}

// parsed runs body over data and returns the file that body filled in.
func parsed(name string, data []byte, body func(*parser)) (f *File, err error) {
	p := &parser{name: name, rest: data, texts: map[string]string{}, seen: map[string]int{}}
	defer func() {
		if e := recover(); e != nil {
			pe, ok := e.(*Error)
			if !ok {
				panic(e)
			}
			f, err = nil, pe
		}
	}()
	if len(data) > MaxFile {
		p.fail(fmt.Sprintf("a file of at most %d bytes", MaxFile), fmt.Sprintf("%d bytes", len(data)))
	}
	p.f.Path = name
	body(p)
	return &p.f, nil
}

// A parser reads a clip or a sequence. On an error it panics with an *Error; parsed recovers.
type parser struct {
	name     string
	rest     []byte
	line     int
	maxSteps int
	f        File
	texts    map[string]string // interned texts
	seen     map[string]int    // by header word: its line
}

func (p *parser) fail(want, got string) {
	panic(&Error{p.name, max(p.line, 1), want, got})
}

// next returns the next line that is neither empty nor a comment, also without white space at its
// ends. ok is false at the end of the file.
func (p *parser) next() (full, trimmed string, ok bool) {
	for len(p.rest) > 0 {
		p.line++
		line, rest, _ := bytes.Cut(p.rest, []byte("\n"))
		if len(line) > MaxLine {
			p.fail(fmt.Sprintf("a line of at most %d bytes", MaxLine), fmt.Sprintf("%d bytes", len(line)))
		}
		p.rest = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		t := strings.Trim(string(line), " \t")
		if t == "" || t[0] == '#' {
			continue
		}
		return string(line), t, true
	}
	p.line++
	return "", "", false
}

func (p *parser) magic() {
	line, _, ok := p.next()
	if !ok {
		p.fail(fmt.Sprintf("%q", magic+strconv.Itoa(Version)), "an empty file")
	}
	v, isClip := strings.CutPrefix(line, magic)
	if p.line != 1 || !isClip {
		p.fail(fmt.Sprintf("%q", magic+strconv.Itoa(Version)), shown(line))
	}
	if v != "1" && v != strconv.Itoa(Version) {
		p.fail(fmt.Sprintf("version 1 or %d of the clip format (a newer heddle may read others)", Version),
			shown("v"+v))
	}
}

// header reads the header and the line "steps", and reports whether the steps are packed.
func (p *parser) header() (packed bool) {
	for {
		_, line, ok := p.next()
		if !ok {
			p.fail(`a header line or "steps"`, "the end of the file (is it cut short?)")
		}
		if packed = line == "steps packed"; packed || line == "steps" {
			break
		}
		key, val, _ := strings.Cut(line, " ")
		val = strings.Trim(val, " \t")
		switch key {
		case "visible", "place":
			p.repeated(key, val)
			continue
		case "input":
			p.input(val)
			continue
		case "flag":
			p.f.Flags = append(p.f.Flags, p.flag(val))
			continue
		case "arg":
			p.f.Args = append(p.f.Args, p.argument(val))
			continue
		case "env":
			p.f.Env = append(p.f.Env, p.variable(val))
			continue
		}
		if before := p.seen[key]; before != 0 {
			p.fail(fmt.Sprintf("%s once (it stands in line %d)", key, before), "it again")
		}
		p.seen[key] = p.line
		p.single(key, val)
	}
	if p.f.Test == "" {
		p.fail("a line that names the test before the steps", "none")
	}
	return packed
}

// flags are the flags that a clip may hold, and whether each takes a value. A clip may come from
// an untrusted place, so no other flag is accepted.
var flags = map[string]bool{"-run": true, "-skip": true, "-tags": true, "-time": true, "-lose": true,
	"-symbolic": true, "-short": false, "-v": false}

// Variables are the environment variables that a clip may hold.
var Variables = []string{"GODEBUG", "GOMAXPROCS", "GOEXPERIMENT", "CGO_ENABLED"}

// flag checks a flag under which the clip was recorded.
func (p *parser) flag(val string) string {
	v := p.value(val)
	name, _, valued := strings.Cut(v, "=")
	if want, known := flags[name]; !known || want != valued {
		p.fail("one of the flags -run=, -skip=, -tags=, -time=, -lose=, -symbolic=, -short, -v", shown(v))
	}
	return v
}

// argument checks an argument of the test program. Arguments of package testing are refused,
// because some of them write files.
func (p *parser) argument(val string) string {
	v := p.value(val)
	if Refused(v) {
		p.fail("an argument of the program (give heddle replay those of package testing after -args)", shown(v))
	}
	return v
}

// Refused reports whether a clip may not hold arg.
func Refused(arg string) bool {
	return strings.HasPrefix(arg, "-test.") || strings.HasPrefix(arg, "--test.") || len(arg) > MaxText
}

// variable checks an assignment to an environment variable.
func (p *parser) variable(val string) string {
	v := p.value(val)
	if name, _, ok := strings.Cut(v, "="); !ok || !slices.Contains(Variables, name) {
		p.fail("a value of "+strings.Join(Variables, ", "), shown(v))
	}
	return v
}

func (p *parser) repeated(key, val string) {
	words := p.words(val)
	if len(words) == 0 {
		p.fail("an operation and a position", "nothing")
	}
	if words[0].class != classText {
		p.fail("an operation", shown(words[0].raw))
	}
	pl := wire.Place{Op: words[0].text}
	for _, w := range words[1:] {
		if w.class == classChoice || w.class == classTimes || w.key == "op" {
			p.fail("an object, a position, by=, func=, nth=, down= or note=", shown(w.raw))
		}
		p.place(&pl, w)
	}
	if key == "visible" {
		p.f.Spots = append(p.f.Spots, pl)
	} else {
		p.f.Places = append(p.f.Places, pl)
	}
}

// input checks an argument of a fuzz target.
func (p *parser) input(val string) {
	v := p.value(val)
	if _, err := corpus.Value(v); err != nil {
		p.fail("a value as in Go's corpus files, such as int(5)", shown(val))
	}
	p.f.Input = append(p.f.Input, v)
}

func (p *parser) single(key, val string) {
	switch key {
	case "test":
		p.f.Test = p.value(val)
	case "package":
		p.f.Package = p.value(val)
	case "kind":
		p.f.Kind = p.value(val)
	case "message":
		p.f.Message = p.value(val)
	case "go":
		p.f.Go = p.value(val)
	case "heddle":
		p.f.Heddle = p.value(val)
	case "policy":
		p.f.Policy = p.value(val)
	case "isolate":
		p.f.Isolate = p.value(val)
	case "code":
		p.f.Code = p.value(val)
	case "fixed":
		p.f.Fixed = p.value(val)
	case "pattern":
		p.f.Pattern = p.value(val)
	case "seed":
		p.f.Seed = p.number(val, 64)
	case "depth":
		p.f.Depth = int(p.number(val, 31))
	case "time":
		if val != "free" && val != "virtual" {
			p.fail("free or virtual", shown(val))
		}
		p.f.Free = val == "free"
	case "model":
		if val != "exhaustive" {
			p.fail("exhaustive", shown(val))
		}
		p.f.Exhaustive = true
	default:
		p.fail("one of test, package, kind, message, go, heddle, policy, seed, depth, time, model, isolate, pattern, flag, arg, env, code, fixed, input, visible, place, steps", shown(key))
	}
}

// value unquotes a header's value.
func (p *parser) value(s string) string {
	if s == "" {
		p.fail("a value", "nothing")
	}
	if s[0] == '"' {
		t, err := strconv.Unquote(s)
		if err != nil {
			p.fail("a text quoted as in Go", shown(s))
		}
		s = t
	}
	return p.text(s)
}

// text checks the length of s and interns it.
func (p *parser) text(s string) string {
	if len(s) > MaxText {
		p.fail(fmt.Sprintf("a text of at most %d bytes", MaxText), fmt.Sprintf("%d bytes", len(s)))
	}
	if t, ok := p.texts[s]; ok {
		return t
	}
	t := strings.Clone(s) // does not keep the line alive
	p.texts[t] = t
	return t
}

func (p *parser) number(s string, bits int) uint64 {
	n, err := strconv.ParseUint(s, 0, bits)
	if err != nil {
		p.fail(fmt.Sprintf("a number of %d bits, not negative", bits), shown(s))
	}
	return n
}

// steps reads the steps and the end line.
func (p *parser) steps() {
	for {
		full, line, ok := p.next()
		if !ok {
			p.fail(`a step or "end" with the number of steps`,
				fmt.Sprintf("the end of the file after %d steps (is it cut short?)", len(p.f.Steps)))
		}
		if n, isEnd := strings.CutPrefix(line, "end "); isEnd && full[0] == 'e' {
			if p.number(strings.TrimSpace(n), 63) != uint64(len(p.f.Steps)) {
				p.fail(fmt.Sprintf(`"end %d", the number of steps above`, len(p.f.Steps)), shown(line))
			}
			break
		}
		s, times := p.parseStep(full)
		if times < 1 || times > p.maxSteps-len(p.f.Steps) {
			p.fail(fmt.Sprintf("at most %d steps in all", p.maxSteps),
				fmt.Sprintf("%d and x%d", len(p.f.Steps), times))
		}
		for range times {
			p.f.Steps = append(p.f.Steps, s)
		}
	}
}

// nothing expects the end of the file.
func (p *parser) nothing() {
	if _, line, ok := p.next(); ok {
		p.fail("nothing after the end line", shown(line))
	}
}

// parseStep reads a line of steps, and how many equal steps it stands for.
func (p *parser) parseStep(line string) (s wire.Step, times int) {
	s.Choice = -1
	if line == "" {
		p.fail("a goroutine and an operation", "nothing")
	}
	if line[0] == '*' {
		s.Switch = true
		line = line[1:]
	}
	words := p.words(line)
	if len(words) < 2 {
		p.fail("a goroutine and an operation", shown(strings.TrimSpace(line)))
	}
	for i, want := range [...]string{"a goroutine", "an operation"} {
		if words[i].class != classText {
			p.fail(want, shown(words[i].raw))
		}
	}
	s.G, s.Op = words[0].text, words[1].text
	if _, known := trace.ParseOp(s.Op); !known && s.Op != "" {
		p.fail("an operation such as lock, send or read", shown(s.Op))
	}
	times = 1
	for i, w := range words[2:] {
		switch {
		case w.class == classChoice:
			if s.Choice != -1 {
				p.fail("one outcome", shown(w.raw)+" as well")
			}
			s.Choice = w.n
		case w.class == classTimes:
			if i != len(words)-3 {
				p.fail("nothing after "+w.raw, shown(words[i+3].raw))
			}
			times = w.n
		case w.key == "op":
			s.Where.Op = w.text
		default:
			p.place(&s.Where, w)
		}
	}
	return s, times
}

// place stores the piece w of a line in pl.
func (p *parser) place(pl *wire.Place, w piece) {
	set := func(field *string) {
		if *field != "" {
			p.fail("one object and one position", shown(*field)+" and "+shown(w.raw))
		}
		*field = w.text
	}
	switch w.class {
	case classText:
		set(&pl.Object)
	case classSite:
		if pl.Site != 0 {
			p.fail("one @number", shown(w.raw)+" as well")
		}
		pl.Site = w.site
	case classPos:
		if pl.File != "" || pl.Line != 0 {
			p.fail("one position", shown(w.raw)+" as well")
		}
		pl.File, pl.Line = w.text, w.n
	case classKey:
		switch w.key {
		case "by":
			set(&pl.Goroutine)
		case "func":
			set(&pl.Func)
		case "nth":
			p.count(&pl.Nth, w)
		case "down":
			p.count(&pl.Down, w)
		case "note":
			set(&pl.Note)
		}
	}
}

// count stores a number, at least 1, in field.
func (p *parser) count(field *int, w piece) {
	if *field != 0 {
		p.fail("one "+w.key+"=", shown(w.raw)+" as well")
	}
	if *field = int(p.number(w.text, 31)); *field == 0 {
		p.fail("a number from 1", shown(w.raw))
	}
}

// shown quotes s for an error, cut to a readable length.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}
