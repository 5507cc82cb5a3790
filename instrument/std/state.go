package std

import (
	"path"
	"strings"
)

// State that programs set in the standard library, such as flags, handlers and drivers, is reset
// before each execution. Each package registers its variables (hook.State) and announces when they
// may have changed (hook.Moved), since comparing them before each execution would take longer than
// a short execution.

// state lists the variables, by package.
var state = map[string]string{
	"flag":         "&CommandLine, &Usage",
	"log":          "&std",
	"log/slog":     "&defaultLogger",
	"expvar":       "&vars",
	"net/http":     "DefaultClient, &DefaultServeMux, &DefaultClient, &DefaultTransport",
	"database/sql": "&drivers",
	"os":           "&Args, &Stdin, &Stdout, &Stderr",
	"uuid":         "&v7lastSecs, &v7lastTimestamp",
}

// StateName is the base name of the file that registers them.
const StateName = "heddlestate.go"

// stateFile returns the file for a package, or nil.
func stateFile(importPath string) []byte {
	vars := state[importPath]
	if vars == "" {
		return nil
	}
	return []byte("// Added by heddle: what an execution finds as the first one did.\n\npackage " + path.Base(importPath) +
		"\n\nimport _hs \"heddlert/hook\"\n\nfunc init() { _hs.State(" + vars + ") }\n")
}

// moves returns edits that announce changes of state at the start of functions.
func moves(headers ...string) file {
	f := file{hook: true}
	for _, h := range headers {
		if !strings.HasSuffix(h, "{") {
			h += " {"
		}
		f.edits = append(f.edits, begin(h, "_hs.Moved = true"))
	}
	return f
}

var flagPatch = &pkg{added: embedded("flag.go.txt"), files: map[string]file{"flag.go": parses(moves(
	"func (f *FlagSet) SetOutput(output io.Writer)", "func (f *FlagSet) set(name, value string) error",
	"func (f *FlagSet) Var(value Value, name string, usage string)",
	"func (f *FlagSet) Init(name string, errorHandling ErrorHandling)",
))}}

// parses adds that flags may be inputs: see added/flag.go.txt.
func parses(f file) file {
	f.edits = append(f.edits, begin("func (f *FlagSet) Parse(arguments []string) error {",
		"_hs.Moved = true; defer heddleParsed(f)"))
	return f
}

var logPatch = &pkg{files: map[string]file{"log.go": moves(
	"func (l *Logger) SetOutput(w io.Writer)", "func (l *Logger) SetFlags(flag int)",
	"func (l *Logger) SetPrefix(prefix string)",
)}}

var slogPatch = &pkg{files: map[string]file{"logger.go": moves("func SetDefault(l *Logger)")}}

var expvarPatch = &pkg{files: map[string]file{"expvar.go": moves(
	"func (v *Int) Add(delta int64)", "func (v *Int) Set(value int64)", "func (v *Float) Add(delta float64)",
	"func (v *Float) Set(value float64)",
	"func (v *Map) Init() *Map", "func (v *Map) Set(key string, av Var)",
	"func (v *Map) Add(key string, delta int64)", "func (v *Map) AddFloat(key string, delta float64)",
	"func (v *Map) Delete(key string)", "func (v *String) Set(value string)",
	"func Publish(name string, v Var)",
)}}

var sqlPatch = &pkg{files: map[string]file{
	"sql.go": moves("func Register(name string, driver driver.Driver)"),
}}
