package modsettings

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	f, err := Parse("/m/heddle.toml", []byte(`budget = "30s"
skip = ["^A", "b/c"]
tags = ["x", "y"]
race = false
steps = 5_000
baseline = "ci/known.toml"
clips = "/abs"

[[ignore]]
kind = "leak"
object = "q"
reason = "why"
[[ignore]]
kind = "data race"
reason = "because"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Setting{{"budget", "30s", 1}, {"skip", "^A|b/c", 2}, {"tags", "x,y", 3}, {"race", "false", 4},
		{"steps", "5000", 5}, {"baseline", filepath.FromSlash("/m/ci/known.toml"), 6}, {"clips", "/abs", 7}}
	if !reflect.DeepEqual(f.Settings, want) || len(f.Ignore) != 2 || f.Ignore[0].Object != "q" ||
		f.Ignore[1].Line != 13 {
		t.Errorf("%+v", f)
	}
}

// TestExamples: the example of every key is one.
func TestExamples(t *testing.T) {
	for _, k := range Keys {
		f, err := Parse("heddle.toml", []byte(k.Name+" = "+k.Example+"\n"))
		if err != nil || len(f.Settings) != 1 || f.Settings[0].Value == "" || k.Does == "" {
			t.Errorf("%s: %v %+v", k.Name, err, f)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"budget = \"1s\"\nbugdet = \"3s\"\n",
			"heddle.toml:2: unknown key bugdet: did you mean budget? Known are: budget, total,"},
		{"colour = 1\n", "heddle.toml:1: unknown key colour; known are: budget,"},
		{"budget = 30\n", "heddle.toml:1: budget is a number; want a string, such as budget = \"30s\""},
		{"race = \"no\"\n", "race is a string; want true or false, such as race = false"},
		{"steps = \"x\"\n", "want a number"},
		{"steps = 1.5\n", "steps is a number with a point; want a number"},
		{"tags = [1]\n", "tags is an array of other things than strings; want a string or a list of strings"},
		{"skip = [\"(\", \"a\"]\n", "heddle.toml:1: skip: error parsing regexp"},
		{"[ignore]\n", "heddle.toml:1: [ignore] is one table; write [[ignore]]"},
		{"[[ignored]]\n", "heddle.toml:1: unknown key [ignored]"},
		{"[[ignore]]\nkind = \"leak\"\n", "heddle.toml:1: [[ignore]] without a reason"},
		{"\n[[ignore]]\nreason = \"leak\"\n", "heddle.toml:2: [[ignore]] without a kind"},
		{"[[ignore]]\nkin = \"leak\"\n", "heddle.toml:2: unknown key kin in [[ignore]]: did you mean kind?"},
		{"[[ignore]]\nkind = true\n", "heddle.toml:2: kind is true or false; want a string"},
		{"budget = \n", "heddle.toml:1: not TOML"},
		{"budget = \"1s\"\nbudget = \"2s\"\n", "heddle.toml:2: not TOML"},
	} {
		_, err := Parse("heddle.toml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestFind: the file of the module counts, from any folder of it; one elsewhere is told of.
func TestFind(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module x\n")
	write("heddle.toml", "seed = 1\n")
	write("a/b/x.go", "package b\n")
	write("c/heddle.toml", "seed = 2\n")
	write("nested/go.mod", "module y\n")
	for _, c := range []struct{ dir, seed, stray string }{
		{"", "1", ""}, {"a/b", "1", ""}, {"c", "1", "c/heddle.toml"}, {"nested", "", ""},
	} {
		f, stray, err := Find(filepath.Join(root, c.dir))
		seed := ""
		if err == nil && len(f.Settings) > 0 {
			seed = f.Settings[0].Value
		}
		if c.stray != "" {
			c.stray = filepath.Join(root, c.stray)
		}
		if err != nil || seed != c.seed || stray != c.stray {
			t.Errorf("%s: %v seed %q stray %q", c.dir, err, seed, stray)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("budget = \"1s\"\n[[ignore]]\nkind='leak'\nreason='x'\n")
	f.Add("[[ignore]]\n[[ignore]]\n[a.b]\nx={}")
	f.Fuzz(func(t *testing.T, s string) {
		file, err := Parse("f", []byte(s))
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Fatal(err)
		}
		if err == nil {
			for _, r := range file.Ignore {
				if r.Kind == "" || r.Reason == "" || r.Line < 1 {
					t.Fatalf("%+v", r)
				}
			}
		}
	})
}
