package gen

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// The oracle is text that every test file has, with names of its own. The pool is text for trying
// out scenarios.
var (
	//go:embed oracle.tmpl
	oracleText string
	//go:embed pool.tmpl
	poolText string
	//go:embed ok.tmpl
	okText string

	oracle = template.Must(template.New("oracle").Parse(oracleText))
	pool   = template.Must(template.New("pool").Parse(poolText))
	okFunc = template.Must(template.New("ok").Parse(okText))
)

// An oracleData fills in oracleText.
type oracleData struct {
	N                 string // what names begin with
	Spec              string
	Linear, Quiescent bool
	Meets             bool // there are tests whose calls wait for each other
	Results           string
}

// poolName is what names of the pool begin with.
const poolName = "heddlePool"

// PoolName is the name of the file with the pool of calls, for the time of a search.
const PoolName = "heddle_gen_pool_test.go"

// FileName returns the name of the test file.
func (s *Suite) FileName() string { return strings.ToLower(s.typeName()) + "_heddle_test.go" }

// Tests returns the number of tests.
func (s *Suite) Tests() int { return len(s.tests) }

func (s *Suite) oracleData(name string) oracleData {
	return oracleData{N: name, Spec: s.opt.Spec, Linear: s.opt.Order == "linearizable",
		Quiescent: s.opt.Order == "quiescent", Results: results, Meets: name == poolName ||
			slices.ContainsFunc(s.tests, func(sc *scenario) bool { return sc.meets })}
}

// PoolFile returns the text of a test file in which scenarios are executed that come as arguments.
func (s *Suite) PoolFile() ([]byte, error) {
	type poolCall struct {
		Text, Body string
		Needs      bool
	}
	data := struct {
		oracleData
		Var, SpecVar, End, Validate string
		Pointer                     bool
		Creators, SpecCreators      []string
		Made                        []string
		Calls                       []poolCall
		Batch                       []int
		OK, InTurn, Own             string
	}{oracleData: s.oracleData(poolName), InTurn: inTurn, Own: own, Var: s.resultText(),
		End: s.end, Validate: s.opt.Validate, Pointer: true}
	for _, m := range s.makes {
		data.Creators = append(data.Creators, m.text)
		data.Made = append(data.Made, m.shown())
	}
	if s.spec != nil {
		data.SpecVar, _ = s.values().name(s.spec)
		data.SpecCreators = s.specMake
	}
	for i := range s.pool {
		e := &s.pool[i]
		data.Calls = append(data.Calls, poolCall{e.text(), s.poolBody(e), len(e.needs) > 0})
	}
	for i := range Batch {
		data.Batch = append(data.Batch, i)
	}
	var b bytes.Buffer
	if err := pool.Execute(&b, data); err != nil {
		return nil, err
	}
	if err := okFunc.Execute(&b, data); err != nil {
		return nil, err
	}
	if err := oracle.Execute(&b, data.oracleData); err != nil {
		return nil, err
	}
	return s.finish("// Written by heddle gen for the time of a search.\n\n", b.Bytes())
}

// poolBody is the body of a call of the pool.
func (s *Suite) poolBody(e *entry) string {
	args := strings.Join(e.args, ", ")
	for i, need := range e.needs {
		args = strings.Replace(args, mark, fmt.Sprintf("given[%d].(%s)", i, need), 1)
	}
	call := fmt.Sprintf("(*x).%s(%s)", e.method, args)
	if len(e.results) == 0 {
		return call + "; return nil"
	}
	rs := resultNames(e)
	return fmt.Sprintf("%s := %s; return []any{%s}", rs, call, rs)
}

func resultNames(e *entry) string {
	names := make([]string, len(e.results))
	for i := range names {
		names[i] = fmt.Sprint("r", i)
	}
	return strings.Join(names, ", ")
}

// File returns the text of the test file.
func (s *Suite) File() ([]byte, error) {
	var b bytes.Buffer
	head := fmt.Sprintf("// Written by heddle gen -type %s -seed %d. Run it with\n//\n//\theddle test -run '%s' %s\n//\n",
		s.typeName(), s.opt.Seed, s.TestName(), s.p.Path) +
		"// Plainly, under go test, it looks at one interleaving.\n\n"
	tokens := false
	for i := range s.tests {
		tokens = s.writeTest(&b, i) || tokens
	}
	if s.spec != nil {
		s.writeInterface(&b)
	}
	if err := oracle.Execute(&b, s.oracleData(s.name())); err != nil {
		return nil, err
	}
	if tokens {
		if err := okFunc.Execute(&b, s.oracleData(s.name())); err != nil {
			return nil, err
		}
	}
	return s.finish(head, b.Bytes())
}

// finish adds the package clause and imports, and formats.
func (s *Suite) finish(head string, body []byte) ([]byte, error) {
	if s.p.old {
		body = withoutAny(body)
	}
	names := maps.Clone(s.imports)
	for _, path := range []string{"flag", "fmt", "os", "reflect", "runtime", "sort", "strconv", "strings",
		"sync", "testing", "time"} {
		names[path] = path
	}
	names["sync/atomic"] = "atomic"
	name := s.p.Name
	if s.p.qual != "" {
		name += "_test"
		names[s.p.Path] = s.p.Name
	}
	delete(names, "")
	var std, others []string
	for path, name := range names {
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\.\w`).Match(withoutTexts(body)) {
			continue
		}
		if line := fmt.Sprintf("%q", path); strings.Contains(strings.Split(path, "/")[0], ".") ||
			path == s.p.Path {
			if path[strings.LastIndexByte(path, '/')+1:] != name {
				line = name + " " + line
			}
			others = append(others, line)
		} else {
			std = append(std, line)
		}
	}
	slices.Sort(std)
	slices.Sort(others)
	text := head + "package " + name + "\n\nimport (\n" + strings.Join(std,
		"\n") + "\n\n" + strings.Join(others, "\n") + "\n)\n"
	out, err := format.Source(append([]byte(text), body...))
	if err != nil {
		return nil, fmt.Errorf("what was written does not parse: %v\n%s%s", err, text, body)
	}
	return out, nil
}

var texts = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|//[^\n]*")

// withoutTexts removes literals and comments.
func withoutTexts(body []byte) []byte { return texts.ReplaceAll(body, []byte("_")) }

// withoutAny writes any as Go 1.17 and before have it.
func withoutAny(body []byte) []byte {
	parts, at := [][]byte{}, 0
	for _, m := range append(texts.FindAllIndex(body, -1), []int{len(body), len(body)}) {
		parts = append(parts, anyWord.ReplaceAll(body[at:m[0]], []byte("interface{}")), body[m[0]:m[1]])
		at = m[1]
	}
	return bytes.Join(parts, nil)
}

var anyWord = regexp.MustCompile(`\bany\b`)

// A held is the variables for what calls take of an earlier one.
type held struct {
	n     int
	types map[int]string // by result
}

// writeTest writes test i, and reports whether calls take what others returned.
func (s *Suite) writeTest(b *bytes.Buffer, i int) bool {
	sc := s.tests[i]
	tokens := map[*call]*held{}
	for _, c := range sc.all() {
		for _, r := range c.from {
			t := tokens[r.call]
			if t == nil {
				t = &held{len(tokens) + 1, map[int]string{}}
				tokens[r.call] = t
			}
			if r.result >= 0 {
				t.types[r.result] = s.pool[r.call.entry].results[r.result]
			}
		}
	}
	b.WriteString("\n")
	if i < len(s.failures) {
		f := &s.failures[i]
		fmt.Fprintf(b, "// %s%d fails: %s (execution %d). %s\n", s.TestName(), i+1, f.Kind,
			f.Executions, strings.ReplaceAll(f.Message, "\n", " "))
		for _, l := range strings.Split(f.Output, "\n") {
			l = strings.TrimSpace(l)
			if l != "" && !strings.HasPrefix(l, "--- FAIL") && !strings.HasPrefix(l, PoolName) &&
				!strings.HasPrefix(l, "===") {
				fmt.Fprintf(b, "//\t%s\n", l)
			}
		}
	}
	fmt.Fprintf(b, "func %s%d(t *testing.T) {\n", s.TestName(), i+1)
	plan := s.planText(sc, tokens)
	n := s.name()
	create := s.makes[sc.creator].text
	create = strings.ReplaceAll(create, "; ", "\n")
	create = strings.Replace(create, "{ panic(err) }", "{\npanic(err)\n}", 1)
	own := ""
	if s.end != "" {
		own += fmt.Sprintf("end: func() { x.%s() },\n", s.end)
	}
	if s.opt.Validate != "" {
		own += fmt.Sprintf("valid: func() error { return %s(x) },\n", s.opt.Validate)
	}
	if s.spec == nil {
		fmt.Fprintf(b, "%sTest(t, %q, func() *%sPlan {\n%s\n%sreturn &%sPlan{\n%s%s}\n})\n}\n", n,
			sc.blocked, n, create,
			tokenText(tokens), n, plan, own)
		return len(tokens) > 0
	}
	x := "x"
	if _, ok := s.result.(*types.Pointer); !ok && !types.IsInterface(s.result) {
		x = "&x"
	}
	set := ""
	if s.end != "" {
		set += fmt.Sprintf("p.end = func() { x.%s() }\n", s.end)
	}
	if s.opt.Validate != "" {
		set += fmt.Sprintf("p.valid = func() error { return %s(x) }\n", s.opt.Validate)
	}
	fmt.Fprintf(b, "calls := func(x %sCalls) *%sPlan {\n%sreturn &%sPlan{\n%s}\n}\n", n, n,
		tokenText(tokens), n, plan)
	fmt.Fprintf(b,
		"%sTest(t, %q, func() *%sPlan {\n%s\np := calls(%s)\n%sreturn p\n}, func() *%sPlan {\n%s\nreturn calls(x)\n})\n}\n",
		n, sc.blocked, n,
		create, x, set, n, s.specMake[sc.creator])
	return len(tokens) > 0
}

// tokenText declares the variables of tokens.
func tokenText(tokens map[*call]*held) string {
	var lines []string
	for _, t := range tokens {
		lines = append(lines, fmt.Sprintf("var ok%d bool\n", t.n))
		for r, typ := range t.types {
			lines = append(lines, fmt.Sprintf("var got%d%s %s\n", t.n, suffix(r), typ))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// suffix tells the results of one call apart.
func suffix(result int) string {
	if result == 0 {
		return ""
	}
	return string(rune('a' + result))
}

// planText writes the calls of a scenario.
func (s *Suite) planText(sc *scenario, tokens map[*call]*held) string {
	n := s.name()
	loose := s.advice.loose(s, sc)
	list := func(calls []*call, beside bool) string {
		text := ""
		for _, c := range calls {
			shown, body := s.callText(c, tokens, beside, loose)
			text += fmt.Sprintf("{%q, func() []any { %s }},\n", shown, body)
		}
		return text
	}
	text := fmt.Sprintf("made: %q,\n", s.makes[sc.creator].shown())
	var tries []string
	for _, c := range slices.Concat(sc.goroutines...) {
		if m := s.pool[c.entry].method; s.advice.tries[m] != "" && !slices.Contains(tries, m) {
			tries = append(tries, m)
		}
	}
	if len(tries) > 0 {
		text += fmt.Sprintf("tries: %q,\n", strings.Join(tries, " "))
	}
	if len(sc.before) > 0 {
		text += fmt.Sprintf("before: []%sCall{\n%s},\n", n, list(sc.before, false))
	}
	text += fmt.Sprintf("goroutines: [][]%sCall{\n", n)
	for _, g := range sc.goroutines {
		text += "{\n" + list(g, true) + "},\n"
	}
	text += "},\n"
	if len(sc.after) > 0 {
		text += fmt.Sprintf("after: []%sCall{\n%s},\n", n, list(sc.after, false))
	}
	return text
}

// callText returns what is shown of a call, and the body of its function; beside: other goroutines
// make calls at the same time, loose: what they return is not compared.
func (s *Suite) callText(c *call, tokens map[*call]*held, beside, loose bool) (shown, body string) {
	e := &s.pool[c.entry]
	args := strings.Join(e.args, ", ")
	if len(c.from) > 0 {
		var oks []string
		for _, r := range c.from {
			t := tokens[r.call]
			oks = append(oks, fmt.Sprint("!ok", t.n))
			if r.result >= 0 {
				args = strings.Replace(args, mark, fmt.Sprintf("got%d%s", t.n, suffix(r.result)), 1)
			}
		}
		slices.Sort(oks)
		body = fmt.Sprintf("if %s { return []any{\"skipped\"} }\n", strings.Join(slices.Compact(oks), " || "))
	}
	shown = e.method + "(" + args + ")"
	rs := resultNames(e)
	if rs == "" {
		body += "x." + shown + "\n"
	} else {
		body += rs + " := x." + shown + "\n"
	}
	if t := tokens[c]; t != nil {
		prefix := ""
		for r := range e.results {
			if t.types[r] != "" {
				name := fmt.Sprintf("got%d%s", t.n, suffix(r))
				body += fmt.Sprintf("%s = r%d\n", name, r)
				prefix += name + ", "
			}
		}
		body += fmt.Sprintf("ok%d = %sOK(%s)\n", t.n, s.name(), rs)
		if prefix != "" {
			shown = strings.TrimSuffix(prefix, ", ") + " := " + shown
		}
	}
	level := s.levels[e.method]
	if beside && (loose || s.advice.vague[e.method] != "") {
		level = notCompared
	}
	switch {
	case rs == "":
		body += "return nil"
	case level == asSets:
		body += fmt.Sprintf("return []any{%sAny{%s}}", s.name(), strings.ReplaceAll(rs, ", ",
			fmt.Sprintf("}, %sAny{", s.name())))
	case level == notCompared && s.advice.tries[e.method] != "":
		body += fmt.Sprintf("return []any{%sFate{%s}}", s.name(), rs)
	case level == notCompared:
		if tokens[c] == nil {
			body = strings.Replace(body, rs+" := ", "", 1)
		} else {
			for r := range e.results {
				body += fmt.Sprintf("_ = r%d\n", r)
			}
		}
		body += "return nil"
	default:
		body += "return []any{" + rs + "}"
	}
	if !strings.Contains(body, "if !ok") {
		body = strings.ReplaceAll(body, "\n", "; ")
	}
	return shown, body
}

// writeInterface writes the interface that the type and its specification implement.
func (s *Suite) writeInterface(b *bytes.Buffer) {
	used := map[string]bool{}
	for _, sc := range s.tests {
		for _, c := range sc.all() {
			used[s.pool[c.entry].method] = true
		}
	}
	fmt.Fprintf(b,
		"\n// %sCalls has the methods that the tests call, of %s and of %s.\ntype %sCalls interface {\n",
		s.name(), s.typeName(), s.opt.Spec, s.name())
	for _, m := range methodsOn(s.result) {
		if used[m.name] {
			sig, _ := s.values().name(m.sig)
			fmt.Fprintf(b, "%s%s\n", m.name, strings.TrimPrefix(sig, "func"))
		}
	}
	b.WriteString("}\n")
}
