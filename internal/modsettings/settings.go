// Package modsettings reads heddle.toml, the settings of a module:
//
//	budget = "30s"
//	skip = ["^TestSlow", "^TestLive"]
//
//	[[ignore]]
//	kind = "data race"
//	object = "stats.hits"
//	reason = "a counter for logs: issue 41"
//
// It knows keys and types, and not what they do: the command gives each value to the flag of the
// same name, which refuses what makes no sense.
package modsettings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"heddle/internal/known"
	"heddle/internal/nearest"
	"heddle/internal/tomlfile"
)

// Name is the name of the file.
const Name = "heddle.toml"

// A Type is what a key wants.
type Type int

// The types.
const (
	Text   Type = iota // a string
	Number             // a whole number
	Switch             // true or false
	Texts              // a string, or a list of strings
	Path               // a string: a path, from the folder of the file on
)

func (t Type) String() string {
	return [...]string{"a string", "a number", "true or false", "a string or a list of strings", "a path"}[t]
}

// A Key is something that can be set. It is the name of a flag.
type Key struct {
	Name    string
	Type    Type
	Join    string // what is put between the strings of a list
	Does    string
	Example string // as in the file
}

// Keys are all keys of the file beside [[ignore]], in the order in which help shows them.
var Keys = []Key{
	{"budget", Text, "", "time for each test", `"30s"`},
	{"total", Text, "", "time for all tests of a run", `"10m"`},
	{"strategy", Text, "", "how to explore, as for -strategy", `"unfold,targets=oldest"`},
	{"skip", Texts, "|", "patterns of the tests to leave out, of which one must match",
		`["^TestLive", "/slow$"]`},
	{"baseline", Path, "", "file of the known findings", `"known.toml"`},
	{"visible", Text, "", "memory accesses that are scheduling points: auto, sync, all", `"sync"`},
	{"time", Text, "", "when timers fire: auto, virtual, free", `"virtual"`},
	{"isolate", Text, "", "what is put back between executions: auto, vars, process, none", `"process"`},
	{"race", Switch, "", "look for data races", `false`},
	{"short", Switch, "", "tell the tests to be short", `true`},
	{"tags", Texts, ",", "build tags", `["integration"]`},
	{"p", Number, "", "test binaries that run at the same time", `4`},
	{"seed", Number, "", "the number that all random choices come from", `7`},
	{"steps", Number, "", "bound on the steps of an execution", `5_000_000`},
	{"longest", Text, "", "bound on the time of an execution", `"2m"`},
	{"hang", Text, "", "end a test that makes no progress for this long", `"30s"`},
	{"timeout", Text, "", "end a test binary that takes longer", `"20m"`},
	{"memory", Text, "", "end a search that holds more memory", `"4G"`},
	{"clips", Path, "", "folder for clips", `"clips"`},
}

// names of what may stand in the file.
func names() []string {
	list := []string{}
	for _, k := range Keys {
		list = append(list, k.Name)
	}
	return append(list, "[[ignore]]")
}

// A Setting is a key that a file sets, and its value in the form that the flag takes.
type Setting struct {
	Key, Value string
	Line       int
}

// A File is a file of settings.
type File struct {
	Path     string
	Settings []Setting
	Ignore   []*known.Rule
}

// Find returns the settings of the module that a folder belongs to; an empty File where there are
// none. stray is a heddle.toml in the folder that is none of a module: it is not read.
func Find(dir string) (f *File, stray string, err error) {
	root := moduleRoot(dir)
	if here := filepath.Join(dir, Name); root != dir {
		if _, err := os.Stat(here); err == nil {
			stray = here
		}
	}
	if root == "" {
		return &File{}, stray, nil
	}
	path := filepath.Join(root, Name)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{}, stray, nil
	}
	if err != nil {
		return nil, stray, err
	}
	f, err = Parse(path, data)
	return f, stray, err
}

// moduleRoot returns the folder with the go.mod that the go command finds from dir, "" if there is
// none.
func moduleRoot(dir string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && !info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Parse reads the text of a file. The error has its line.
func Parse(path string, data []byte) (*File, error) {
	items, err := tomlfile.Read(path, data)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path}
	for i := 0; i < len(items); i++ {
		it := items[i]
		if it.Table == "" {
			s, err := setting(path, it)
			if err != nil {
				return nil, err
			}
			f.Settings = append(f.Settings, s)
			continue
		}
		if it.Table != "ignore" || !it.Array {
			if it.Table == "ignore" {
				return nil, tomlfile.Errorf(path, it.Line,
					"[ignore] is one table; write [[ignore]], as there may be several")
			}
			return nil, unknown(path, it.Line, "["+it.Table+"]", it.Table, names())
		}
		end := i + 1
		for end < len(items) && items[end].N == it.N {
			end++
		}
		r, err := known.ParseRule(path, it.Line, items[i+1:end])
		if err != nil {
			return nil, err
		}
		f.Ignore = append(f.Ignore, r)
		i = end - 1
	}
	return f, nil
}

// setting reads one key.
func setting(path string, it tomlfile.Item) (Setting, error) {
	for _, k := range Keys {
		if k.Name == it.Key {
			value, err := k.text(path, it)
			return Setting{it.Key, value, it.Line}, err
		}
	}
	return Setting{}, unknown(path, it.Line, it.Key, it.Key, names())
}

// unknown is the error for what may not stand in a file.
func unknown(path string, line int, what, name string, names []string) error {
	if n := nearest.To(name, names); n != "" {
		return tomlfile.Errorf(path, line, "unknown key %s: did you mean %s? Known are: %s", what, n,
			strings.Join(names, ", "))
	}
	return tomlfile.Errorf(path, line, "unknown key %s; known are: %s", what, strings.Join(names, ", "))
}

// text returns the value as the flag takes it.
func (k *Key) text(path string, it tomlfile.Item) (string, error) {
	switch v := it.Value.(type) {
	case string:
		switch k.Type {
		case Path:
			if v != "" && !filepath.IsAbs(v) {
				v = filepath.Join(filepath.Dir(path), filepath.FromSlash(v))
			}
			return v, nil
		case Text:
			return v, nil
		case Texts:
			return k.join(path, it, []string{v})
		}
	case int64:
		if k.Type == Number {
			return strconv.FormatInt(v, 10), nil
		}
	case bool:
		if k.Type == Switch {
			return strconv.FormatBool(v), nil
		}
	case []string:
		if k.Type == Texts {
			return k.join(path, it, v)
		}
	}
	return "", tomlfile.Errorf(path, it.Line, "%s is %s; want %s, such as %s = %s", k.Name,
		tomlfile.TypeOf(it.Value), k.Type, k.Name, k.Example)
}

// join makes one text of a list. Of patterns, each must be one by itself.
func (k *Key) join(path string, it tomlfile.Item, list []string) (string, error) {
	if k.Join != "|" || len(list) < 2 {
		if len(list) == 1 {
			return list[0], nil
		}
		return strings.Join(list, k.Join), nil
	}
	for _, p := range list {
		if _, err := regexp.Compile(p); err != nil {
			return "", tomlfile.Errorf(path, it.Line, "%s: %v", k.Name, err)
		}
	}
	return strings.Join(list, "|"), nil
}
