package known

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"heddle/internal/nearest"
	"heddle/internal/norm"
	"heddle/internal/tomlfile"
)

// A Baseline is a file of known findings.
type Baseline struct {
	Path    string
	Entries []*Entry
}

// An Entry is a known finding. The order of the fields is that of the file.
type Entry struct {
	Package string   `toml:"package"`
	Test    string   `toml:"test"`
	Kind    string   `toml:"kind"`
	Message string   `toml:"message,omitempty"`
	Places  []string `toml:"places,multiline,omitempty"`
	Reason  string   `toml:"reason,omitempty"` // the user's: -update keeps it

	Line int `toml:"-"` // in the file; 0: it is new
}

// key is what makes two entries the same.
func (e *Entry) key() string {
	return strings.Join(append([]string{e.Package, e.Test, e.Kind, norm.Message(e.Message)},
		e.Places...), "\x00")
}

// header is the beginning of a baseline.
const header = `# Findings that heddle knows: with -baseline it lists them, and fails for others only.
# heddle test -baseline FILE -update writes this file; it keeps each reason.
`

// ParseBaseline reads a baseline. The error has its line, and says what to do.
func ParseBaseline(path string, data []byte) (*Baseline, error) {
	b, err := parseBaseline(path, data)
	if err != nil {
		return nil,
			fmt.Errorf("%w; mend the line, or write the file anew: remove it and run heddle test -baseline %s -update",
				err, path)
	}
	return b, nil
}

func parseBaseline(path string, data []byte) (*Baseline, error) {
	items, err := tomlfile.Read(path, data)
	if err != nil {
		return nil, err
	}
	b := &Baseline{Path: path}
	for _, it := range items {
		switch {
		case it.Table != "finding" || !it.Array:
			what := cmp.Or(it.Key, "["+it.Table+"]")
			return nil, tomlfile.Errorf(path, it.Line, "%s is not in a table [[finding]]", what)
		case it.Key == "":
			b.Entries = append(b.Entries, &Entry{Line: it.Line})
		default:
			if err := b.Entries[len(b.Entries)-1].set(path, it); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range b.Entries {
		for _, f := range []struct{ name, value string }{{"package", e.Package}, {"test", e.Test},
			{"kind", e.Kind}} {
			if f.value == "" {
				return nil, tomlfile.Errorf(path, e.Line, "a finding without a %s", f.name)
			}
		}
		slices.Sort(e.Places)
		e.Places = slices.Compact(e.Places)
	}
	return b, nil
}

// set reads one key of an entry.
func (e *Entry) set(path string, it tomlfile.Item) error {
	fields := map[string]*string{"package": &e.Package, "test": &e.Test, "kind": &e.Kind,
		"message": &e.Message,
		"reason":  &e.Reason}
	if it.Key == "places" {
		list, ok := it.Value.([]string)
		if !ok {
			return tomlfile.Errorf(path, it.Line, "places is %s; want a list of strings",
				tomlfile.TypeOf(it.Value))
		}
		e.Places = list
		return nil
	}
	p := fields[it.Key]
	if p == nil {
		return unknownKey(path, it, []string{"package", "test", "kind", "message", "places", "reason"})
	}
	text, ok := it.Value.(string)
	if !ok {
		return tomlfile.Errorf(path, it.Line, "%s is %s; want a string", it.Key, tomlfile.TypeOf(it.Value))
	}
	*p = text
	return nil
}

// unknownKey is the error for a key that a table does not have.
func unknownKey(path string, it tomlfile.Item, names []string) error {
	like := ""
	if n := nearest.To(it.Key, names); n != "" {
		like = ": did you mean " + n + "?"
	}
	return tomlfile.Errorf(path, it.Line, "unknown key %s in [[%s]]%s Known are: %s", it.Key, it.Table,
		cmp.Or(like, "."), strings.Join(names, ", "))
}

// Text returns the baseline as a file, its entries in an order that does not depend on the run.
func (b *Baseline) Text() ([]byte, error) {
	entries := slices.Clone(b.Entries)
	slices.SortFunc(entries, func(x, y *Entry) int { return strings.Compare(x.key(), y.key()) })
	var out bytes.Buffer
	out.WriteString(header)
	for _, e := range entries {
		text, err := toml.Marshal(e)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "\n[[finding]]\n%s", text)
	}
	return out.Bytes(), nil
}
