package main

import (
	"os"
	"strings"
	"testing"

	"heddle/internal/modsettings"
)

// TestSettingsPage: the guide's table is that of the keys. With -update it is written.
func TestSettingsPage(t *testing.T) {
	const (
		file  = "../../docs/guide/settings.md"
		begin = "<!-- settings: go test ./cmd/heddle -run TestSettingsPage -update -->\n"
		end   = "<!-- /settings -->\n"
	)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no lines %q and %q", file, begin, end)
	}
	want := before + begin + settingsTable() + end + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("the table in %s is not that of the keys; go test ./cmd/heddle -run TestSettingsPage -update writes it", file)
	}
}

// TestSettingsAreFlags: every key is a flag of heddle test, which takes the example.
func TestSettingsAreFlags(t *testing.T) {
	fs := flagsOf("test")
	for _, k := range modsettings.Keys {
		f := fs.Lookup(k.Name)
		if f == nil {
			t.Errorf("heddle test has no flag -%s", k.Name)
			continue
		}
		file, err := modsettings.Parse("heddle.toml", []byte(k.Name+" = "+k.Example+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Value.Set(file.Settings[0].Value); err != nil {
			t.Errorf("%s = %s: %v", k.Name, k.Example, err)
		}
	}
}
