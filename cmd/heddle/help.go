package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"heddle/internal/nearest"
)

// A section is a part of the help: commands, or flags of a command, that belong together.
type section struct {
	title string
	names []string
}

// commandSections are the parts of heddle help. A command that none names is in the last.
var commandSections = []section{
	{"Everyday", []string{"test", "replay", "clips", "debug", "explain", "run"}},
	{"CI", []string{"times", "worker", "report"}},
	{"Strategies", []string{"compare", "predict"}},
	{"Research", []string{"ask", "gen"}},
	{"About heddle", []string{"help", "completion", "env", "clean", "version"}},
}

// flagSections are the parts of the help of a command with many flags. A flag that none names is
// in the last.
var flagSections = []section{
	{"Everyday", []string{"run", "skip", "budget", "total", "runs", "v", "json", "md", "short", "count",
		"failfast", "p", "tags", "timeout", "clips", "html", "test"}},
	{"CI", []string{"baseline", "update", "sarif", "junit", "shard", "times", "resume", "nats", "nats-creds",
		"nats-ca", "trust", "share", "exec"}},
	{"Strategies and what they see", []string{"strategy", "strategies", "seed", "visible", "time", "isolate",
		"lose", "race", "predict", "fuzz", "symbolic", "chance", "solver",
		"regions", "patterns", "complete"}},
	{"Bounds", []string{"steps", "longest", "hang", "memory", "mem", "solve"}},
	{"Research", nil},
}

// sections divides names, in the order of the parts; the names that no part has come last, in
// their own order.
func sections(parts []section, names []string) []section {
	var out []section
	left := slices.Clone(names)
	for i, p := range parts {
		var in []string
		for _, name := range p.names {
			if k := slices.Index(left, name); k >= 0 {
				in, left = append(in, name), slices.Delete(left, k, k+1)
			}
		}
		if i == len(parts)-1 {
			in = append(in, left...)
		}
		if len(in) > 0 {
			out = append(out, section{p.title, in})
		}
	}
	return out
}

// help prints the commands.
func (t *tool) help(w io.Writer) {
	fmt.Fprint(w, "heddle tests concurrent Go programs by deciding which goroutine runs next.\n\nUsage:\n\n"+
		"\theddle COMMAND [flags] [arguments]\n")
	about := map[string]string{"help": "print this, or the help of a command or topic"}
	for _, c := range commands() {
		about[c.name] = c.what
	}
	for _, s := range sections(commandSections, append(commandNames(), "help")) {
		fmt.Fprintf(w, "\n%s:\n\n", s.title)
		for _, name := range s.names {
			fmt.Fprintf(w, "\t%-11s %s\n", name, about[name])
		}
	}
	fmt.Fprint(w,
		"\nRun 'heddle help COMMAND' for the flags of a command, 'heddle help strategies' for what\n"+
			"-strategy takes, 'heddle help settings' for what heddle.toml takes.\n\n"+
			"heddle exits with 0 when nothing is wrong, 1 when it found something, and 2 when\n"+
			"it was used wrongly or a package does not compile; interrupted (Ctrl-C), with 1 when\n"+
			"it had found something, with 130 when not.\n")
}

// topics are what heddle help knows beside commands.
func topics() map[string]func(io.Writer) {
	return map[string]func(io.Writer){"strategies": helpStrategies, "settings": helpSettings}
}

// helpOn is heddle help with a name.
func (t *tool) helpOn(ctx context.Context, name string) int {
	if topic := topics()[name]; topic != nil {
		topic(t.Stdout)
		return exitFine
	}
	if !slices.Contains(commandNames(), name) {
		names := commandNames()
		for topic := range topics() {
			names = append(names, topic)
		}
		slices.Sort(names)
		return t.misuse("heddle help: no command or topic is called %s%s. Run 'heddle help' for the list.",
			name, meant(name, names))
	}
	return t.run(ctx, []string{name, "-h"})
}

// meant returns what to say of a name that is like one that there is, or "".
func meant(name string, names []string) string {
	if n := nearest.To(name, names); n != "" {
		return fmt.Sprintf(" (did you mean %s?)", n)
	}
	return ""
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// usage prints the help of a command.
func (t *tool) usage(fs *flag.FlagSet, name string) {
	if t.probe != nil {
		t.probe(fs)
		return
	}
	for _, c := range commands() {
		if c.name == name {
			fmt.Fprintf(t.Stdout, "usage: heddle %s %s\n\n%s.\n\n", name, c.args,
				strings.ToUpper(c.what[:1])+c.what[1:])
		}
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if len(names) < manyFlags {
		fs.SetOutput(t.Stdout)
		fs.PrintDefaults()
		return
	}
	for i, s := range sections(flagSections, names) {
		if i > 0 {
			fmt.Fprintln(t.Stdout)
		}
		fmt.Fprintf(t.Stdout, "%s:\n\n", s.title)
		part := flag.NewFlagSet(name, flag.ContinueOnError)
		part.SetOutput(t.Stdout)
		slices.Sort(s.names)
		for _, n := range s.names {
			f := fs.Lookup(n)
			part.Var(f.Value, n, f.Usage)
			part.Lookup(n).DefValue = f.DefValue
		}
		part.PrintDefaults()
	}
}

// manyFlags is how many flags are shown in parts.
const manyFlags = 12

// flagsOf returns the flags of a command as it registers them.
func flagsOf(name string) (fs *flag.FlagSet) {
	probe := &tool{Stdout: io.Discard, Stderr: io.Discard, probe: func(f *flag.FlagSet) { fs = f }}
	for _, c := range commands() {
		if c.name == name {
			c.run(probe, context.Background(), []string{"-h"})
		}
	}
	return fs
}
