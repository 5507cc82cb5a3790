package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/explore"
)

// TestStrategiesPage: the guide's table is that of the registered strategies.
func TestStrategiesPage(t *testing.T) {
	guideTable(t, "strategies.md", "strategies", strategyTable())
}

// guideTable compares the part of a guide page between two comments with what heddle makes of it;
// with -update it writes the part.
func guideTable(t *testing.T, page, name, want string) {
	t.Helper()
	file := "../../docs/guide/" + page
	begin := "<!-- " + name + ": go test ./cmd/heddle -run " + t.Name() + " -update -->\n"
	end := "<!-- /" + name + " -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no lines %q and %q", file, begin, end)
	}
	want = before + begin + want + end + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s has other %s; go test ./cmd/heddle -run %s -update writes them", file, name, t.Name())
	}
}

// TestHelpStrategies: the help names every strategy and every option.
func TestHelpStrategies(t *testing.T) {
	var b bytes.Buffer
	helpStrategies(&b)
	for _, u := range explore.Units() {
		if !strings.Contains(b.String(), "\n"+u.Name) {
			t.Errorf("no strategy %s", u.Name)
		}
		for _, o := range u.Options {
			if !strings.Contains(b.String(), " "+o.Name) {
				t.Errorf("no option %s of %s", o.Name, u.Name)
			}
		}
	}
}

// TestUnits: what is registered makes sense.
func TestUnits(t *testing.T) {
	trees := 0
	for _, u := range explore.Units() {
		if u.Does == "" || strings.HasSuffix(u.Does, ".") || strings.ContainsAny(u.Name, ", =") {
			t.Errorf("%+v", u)
		}
		if u.Covers != "" && (u.New == nil || !u.Ends) {
			t.Errorf("%s covers %s and has no end", u.Name, u.Covers)
		}
		if u.Cover != (u == explore.Cover()) {
			t.Errorf("%s covers every program, as %s does: only one may", u.Name, explore.Cover().Name)
		}
		if u.Tree != nil {
			trees++
		}
		for _, o := range u.Options {
			if explore.Lookup(o.Name) != nil {
				t.Errorf("an option of %s is called like strategy %s: lists could not be read", u.Name,
					o.Name)
			}
			if o.Check != nil && o.Default != "" && o.Check(o.Default) != nil {
				t.Errorf("%s: the default of %s is not allowed", u.Name, o.Name)
			}
		}
	}
	if _, ok := explore.Cover().New(explore.Start{}).(explore.Heir); !ok {
		t.Errorf("%s covers every program and cannot take over executions", explore.Cover().Name)
	}
	if trees != 1 {
		t.Errorf("%d strategies are split in wakeup trees; package cluster expects one", trees)
	}
}

// TestHeavy: the file that lean test binaries do not have imports the packages of the heavy
// strategies, and of no other.
func TestHeavy(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../explore/all/heavy.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range f.Imports {
		path, _ := strconv.Unquote(x.Path.Value)
		got = append(got, path[strings.LastIndexByte(path, '/')+1:])
	}
	if want := explore.Names(func(u *explore.Unit) bool { return u.Heavy }); !slices.Equal(got, want) {
		t.Errorf("heavy.go imports %v, want %v", got, want)
	}
}

// TestParse: strategies with options, as on the command line.
func TestParse(t *testing.T) {
	for _, c := range []struct{ text, name, option, value, err string }{
		{"dpor", "dpor", "", "", ""},
		{"unfold,targets=oldest", "unfold", "targets", "oldest", ""},
		{"reach,pv,vouched", "reach", "pv", "true", ""},
		{"reach,one-order=a.go:1,one-order=b.go:2", "reach", "one-order", "a.go:1,b.go:2", ""},
		{"clever", "", "", "", "want one of: auto, "},
		{"predict", "", "", "", "want one of: auto, "},
		{"dpor,preempt=2", "", "", "", "strategy dpor has no option preempt; it has: symmetry"},
		{"dpor,reach", "", "", "", "strategy dpor has no option reach"},
		{"unfold,targets", "", "", "", "wants a value: targets=VALUE"},
		{"unfold,targets=last", "", "", "", "option targets of strategy unfold: want one of: auto, newest"},
		{"pct,depth=2,depth=3", "", "", "", "is given twice"},
		{"pct,depth=20000", "", "", "", "want a number, 1 to 10000"},
		{"reach,one-order=x", "", "", "", "want a line, such as queue.go:12"},
	} {
		u, values, err := explore.Parse(c.text)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.text, err, c.err)
			}
		case err != nil || u.Name != c.name || values[c.option] != c.value:
			t.Errorf("%s: %v %v %v", c.text, u, values, err)
		}
	}
	list, err := explore.ParseList("pct,depth=5,random,unfold,seed-with=dpor,seed-runs=3,dpor")
	if err != nil || len(list) != 4 || list[0].Values["depth"] != "5" ||
		list[2].Values["seed-with"] != "dpor" || list[3].Unit.Name != "dpor" {
		t.Errorf("%+v %v", list, err)
	}
}
