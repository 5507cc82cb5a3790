package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/explore"
	"heddle/explore/question"
	"heddle/internal/tested"
	"heddle/rt/wire"
)

// change gives v, and all that it consists of, another value.
func change(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 7)
	case reflect.Uint64:
		v.SetUint(v.Uint() + 7)
	case reflect.Slice:
		e := reflect.New(v.Type().Elem()).Elem()
		change(t, e)
		v.Set(reflect.Append(v, e))
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		key, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		change(t, key)
		change(t, e)
		m.SetMapIndex(key, e)
		v.Set(m)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Struct:
		change(t, v.Field(0))
	default:
		t.Fatalf("cannot change a %v", v.Type())
	}
}

func keyOf(t *testing.T, k *verdictKey) string {
	t.Helper()
	key, err := tested.Hash(k)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Everything in a key counts, the toolchain among it.
func TestVerdictKey(t *testing.T) {
	was := keyOf(t, new(verdictKey))
	typ := reflect.TypeFor[verdictKey]()
	for i := range typ.NumField() {
		k := new(verdictKey)
		change(t, reflect.ValueOf(k).Elem().Field(i))
		if keyOf(t, k) == was {
			t.Errorf("%s does not count", typ.Field(i).Name)
		}
	}
	a, b := &verdictKey{Go: "go1.26.1"}, &verdictKey{Go: "go1.26.2"}
	if keyOf(t, a) == keyOf(t, b) {
		t.Error("two releases of Go have one key")
	}
}

// indifferent are the fields of a configuration that a verdict does not rest on, since a test that
// was covered was covered within each of these bounds.
var indifferent = []string{"Budget", "Budgets", "Most", "Until", "Share", "Clips", "FailFast", "Longest"}

// A new field of a configuration counts, unless it is added to indifferent and options.lasting.
func TestConfigCounts(t *testing.T) {
	o := new(options)
	was := new(verdictKey)
	was.explores(o, wire.Config{}, nil)
	typ := reflect.TypeFor[wire.Config]()
	for i := range typ.NumField() {
		var c wire.Config
		change(t, reflect.ValueOf(&c).Elem().Field(i))
		k := new(verdictKey)
		k.explores(o, c, nil)
		counts := keyOf(t, k) != keyOf(t, was)
		if want := !slices.Contains(indifferent, typ.Field(i).Name); counts != want {
			t.Errorf("wire.Config.%s: counts %v, want %v", typ.Field(i).Name, counts, want)
		}
	}
}

// How an option takes part in what verdicts are kept and found by.
type effect string

const (
	counts  effect = "is in the key"
	never   effect = "with it no verdicts are kept"
	nothing effect = "changes no verdict"
	sources effect = "changes the binary, which is in the key"
)

// optionEffects has each option. A new one must be added: if it changes what is explored, and how,
// it must count.
var optionEffects = map[string]effect{
	"run": counts, "skip": counts, "short": counts, "args": counts, "verbose": counts, "json": counts,
	"testVerbose": counts, "tags": sources, "exec": never, "failFast": nothing, "count": never,
	"timeout": nothing, "debug": sources,

	"strategy": counts, "unit": nothing, "values": counts, "seed": counts, "predict": counts,
	"complete": counts, "patterns": counts, "regions": counts, "mapCover": never, "fuzz": never,
	"symbolic": never,
	"solver":   nothing, // of fuzz alone
	"chance":   nothing, // likewise

	"budget": nothing, "whole": counts, "input": counts, "runs": counts, "steps": counts, "lose": counts,
	"hang": nothing, "solve": counts, "longest": counts, "share": nothing, "total": nothing,
	"memory": counts, "held": counts,

	"visible": counts, "time": counts, "isolate": counts, "race": counts, "determinism": counts,
	"dataFlow": nothing, // it counts with the strategies that it is for, see below

	"clips": nothing, // the clips themselves are in the key
	"sarif": nothing, "junit": nothing, "html": nothing, "md": nothing, "editor": nothing,

	"parallel": nothing, "resume": never, "shard": nothing, // in the arguments of the binary
	"times": nothing, "nats": never, "trust": nothing,

	"baseline": nothing, "update": nothing, "ignore": nothing, // of findings alone

	"question": never, "asked": counts, "strategies": nothing, "set": nothing,
}

// Each option is in the table, and has the effect that stands there.
func TestOptionsCount(t *testing.T) {
	plain := func() *options {
		o := &options{set: map[string]bool{}}
		o.choose(explore.Lookup("auto"), nil)
		o.count, o.visible, o.isolate = 1, "auto", "auto"
		return o
	}
	key := func(o *options) string {
		k := new(verdictKey)
		k.explores(o, o.config(), o.testArgs(o.skip))
		return keyOf(t, k)
	}
	was := key(plain())
	if !plain().caches() {
		t.Fatal("no verdicts are kept without flags")
	}
	seen := map[string]bool{}
	each(reflect.TypeFor[options](), func(path []int, name string) {
		seen[name] = true
		want, ok := optionEffects[name]
		if !ok {
			t.Errorf("option %s: is it to be in the key? Add it to optionEffects", name)
			return
		}
		o := plain()
		changeOption(t, o, name, path)
		got := nothing
		if key(o) != was {
			got = counts
		}
		if !o.caches() {
			got = never
		}
		if got != want && !(want == sources && got == nothing) {
			t.Errorf("option %s: it %s, want: it %s", name, got, want)
		}
	})
	for name := range optionEffects {
		if !seen[name] {
			t.Errorf("option %s is gone: remove it from optionEffects", name)
		}
	}
	flow := func(on bool) string {
		o := plain()
		o.choose(explore.Lookup("map"), nil)
		o.dataFlow = on
		return key(o)
	}
	if flow(true) == flow(false) {
		t.Error("-flow does not count with strategy map")
	}
}

// each calls f for the fields of the options, those of groups as if they were its own.
func each(typ reflect.Type, f func(path []int, name string)) {
	for _, field := range reflect.VisibleFields(typ) {
		if !field.Anonymous {
			f(field.Index, field.Name)
		}
	}
}

// changeOption gives an option another value; fields of options are not exported, so reflect may
// only look at most of them.
func changeOption(t *testing.T, o *options, name string, path []int) {
	t.Helper()
	switch name {
	case "unit", "strategies", "set", "editor", "trust", "shard", "ignore":
		return // their effect is that of another option, or they have none
	case "values":
		o.values = explore.Values{"x": "y"}
		return
	case "question":
		o.question = new(question.Question)
		return
	case "nats":
		o.nats.URL = "nats://x"
		return
	case "count":
		o.set["count"] = true
		return
	}
	v := reflect.ValueOf(o).Elem().FieldByIndex(path)
	v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	if v.Type() == reflect.TypeFor[time.Duration]() {
		v.SetInt(int64(time.Hour))
		return
	}
	change(t, v)
	if name == "time" {
		o.time = "virtual"
	}
}

// A verdict that rests on others being left out counts only while they are.
func TestWithout(t *testing.T) {
	for _, c := range []struct {
		kept map[string][]string // test to what was left out
		want string
	}{
		{map[string][]string{"A": nil, "B": {"A"}}, "[A B]"},
		{map[string][]string{"B": {"A"}}, "[]"},
		{map[string][]string{"A": nil, "B": {"A"}, "C": {"A", "B"}, "D": {"E"}, "F": {"D"}}, "[A B C]"},
		{map[string][]string{"A": {"B"}, "B": {"A"}}, "[A B]"},
	} {
		all := map[string]verdict{}
		for test, without := range c.kept {
			all[test] = verdict{Test: test, Without: without}
		}
		var got []string
		for _, v := range standing(all) {
			got = append(got, v.Test)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v, want %s", c.kept, got, c.want)
		}
	}
}

// The build ID is the one that the go command reads; without one the whole command is hashed.
func TestBuildID(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the build ID is read from ELF files alone")
	}
	out, err := exec.Command("go", "tool", "buildid", exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := selfDigest()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(out)); want != "" && got != want {
		t.Errorf("build ID %q, go tool buildid says %q", got, want)
	}
	none := filepath.Join(t.TempDir(), "none")
	if err := os.WriteFile(none, []byte("#!/bin/sh\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if id := buildID(none); id != "" {
		t.Errorf("build ID %q of a script", id)
	}
}
