package main

import (
	"testing"

	"heddle/internal/modsettings"
)

// TestSettingsPage: the guide's table is that of the keys.
func TestSettingsPage(t *testing.T) { guideTable(t, "settings.md", "settings", settingsTable()) }

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
