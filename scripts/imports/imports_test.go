package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const top = "../.."

func load(t *testing.T) graph {
	t.Helper()
	g, err := read(top)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestLayers: no import goes up, but for the exceptions, and each exception is needed.
func TestLayers(t *testing.T) {
	for _, p := range load(t).problems() {
		t.Error(p)
	}
}

// TestPicture: the picture shows the imports as they are.
func TestPicture(t *testing.T) {
	got, err := os.ReadFile(filepath.Join(top, picture))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, draw(load(t))) {
		t.Errorf("%s is older than the imports: go run ./scripts/imports writes it", picture)
	}
}

// TestRules: each import that must not be is noticed, and the others are not.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		from, to string
		wrong    bool
	}{
		{"cmd/heddle", "engine", false},
		{"rt/drive", "engine/judge", false},
		{"rt/drive", "explore/all", false},
		{"engine", "explore/all", false},
		{"engine", "rt/wire", false},
		{"engine", "rt/limit", false},
		{"engine", "rt/drive", true},
		{"engine", "build", true},
		{"explore/dpor", "explore/transition", false},
		{"explore/dpor", "rt/sched", true},
		{"explore/dpor", "rt/hook", true},
		{"explore/dpor", "engine", true},
		{"rt/sched", "explore/dpor", true},
		{"rt/sched", "predict", true},
		{"rt/sched", "model", false},
		{"engine", "rt/sched", true},
		{"engine", "rt/policy", false},
		{"rt/wire", "explore", true},
		{"rt/limit", "trace", true},
		{"predict", "explore", true},
		{"predict", "order", false},
		{"model", "explore", true},
		{"model", "trace", false},
		{"trace", "model", true},
		{"elsewhere", "trace", true},
	} {
		wrong := false
		for _, p := range (graph{c.from: {c.to}}).problems() {
			wrong = wrong || !strings.HasPrefix(p, "exception")
		}
		if wrong != c.wrong {
			t.Errorf("%s imports %s: wrong is %v, want %v", c.from, c.to, wrong, c.wrong)
		}
	}
}
