package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"heddle/internal/modsettings"
	"heddle/internal/tomlfile"
	"heddle/report"
)

// settled are the commands that go by heddle.toml: those that explore.
var settled = []string{"test", "run", "predict", "compare", "ask"}

// readSettings gives the flags that the command line does not have the values of heddle.toml. What
// a command has no flag for is for other commands.
func (t *tool) readSettings(o *options, fs *flag.FlagSet) error {
	file, stray, err := modsettings.Find(t.Dir)
	if stray != "" {
		fmt.Fprintf(t.Stderr, "heddle: %s is not read: it belongs beside the go.mod of the module\n",
			t.short(stray))
	}
	if err != nil {
		return t.told(err)
	}
	for _, s := range file.Settings {
		f := fs.Lookup(s.Key)
		if f == nil || o.set[s.Key] || s.Key == "budget" && o.set["runs"] {
			continue // -runs without -budget has no end by time
		}
		err := f.Value.Set(s.Value)
		if err == nil {
			o.set[s.Key] = true
			err = o.check()
		}
		if err != nil {
			return t.told(tomlfile.Errorf(file.Path, s.Line, "%s = %q: %v", s.Key, s.Value, err))
		}
	}
	for _, r := range file.Ignore {
		if err := kinds().Check(r); err != nil {
			return t.told(err)
		}
	}
	o.ignore = file.Ignore
	return nil
}

// told shortens the path in an error.
func (t *tool) told(err error) error {
	return fmt.Errorf("%s", strings.ReplaceAll(err.Error(), t.Dir+string(filepath.Separator), ""))
}

// short returns a path from the current folder on, if it is below it.
func (t *tool) short(path string) string {
	return strings.TrimPrefix(path, t.Dir+string(filepath.Separator))
}

// helpSettings is heddle help settings.
func helpSettings(w io.Writer) {
	fmt.Fprintf(w, "%s, beside go.mod, sets what the flags of a module's tests are where the command line\n"+
		"does not say. Commands: %s.\n\n", modsettings.Name, strings.Join(settled, ", "))
	for _, k := range modsettings.Keys {
		fmt.Fprintf(w, "\t%-36s # %s\n", k.Name+" = "+k.Example, k.Does)
	}
	fmt.Fprint(w,
		"\n\t[[ignore]]                           # findings that are known: there may be several\n"+
			"\tkind = \"data race\"\n\tobject = \"stats.hits\"                # or package, test, function, text; each may be left out\n"+
			"\treason = \"a counter for logs\"\n\nKinds of findings: ")
	var names []string
	for _, k := range report.Kinds {
		names = append(names, k.Name)
	}
	fmt.Fprintf(w, "%s\n", strings.Join(names, ", "))
}

// settingsTable is the table of settings in docs/guide/settings.md.
func settingsTable() string {
	var b strings.Builder
	b.WriteString("| key | type | meaning | example |\n| --- | --- | --- | --- |\n")
	for _, k := range modsettings.Keys {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s = %s` |\n", k.Name, k.Type, k.Does, k.Name,
			strings.ReplaceAll(k.Example, "|", "\\|"))
	}
	return b.String()
}
