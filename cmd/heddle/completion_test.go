package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func words(list []candidate) (words []string) {
	for _, c := range list {
		words = append(words, c.word)
	}
	return words
}

// TestCandidates: what may stand in the place of the last word.
func TestCandidates(t *testing.T) {
	for _, c := range []struct{ line, has, not string }{
		{"", "test replay help completion", "-budget"},
		{"te", "test", "replay"},
		{"help ", "test strategies", "help"},
		{"explain data", "data-race", "deadlock"},
		{"explain ", "deadlock held-back", "test"},
		{"completion ", "bash zsh fish", "test"},
		{"test -bud", "-budget", "-runs"},
		{"test --bud", "--budget", "-budget"},
		{"test -visible ", "auto sync all", ":folders"},
		{"test -visible=a", "-visible=auto -visible=all", "-visible=sync"},
		{"test -strategy un", "unfold", "dpor predict"},
		{"test -strategy=unfold,t", "-strategy=unfold,targets=", "-strategy=unfold,seed-with="},
		{"test -race ", "./... :folders", "true"},
		{"test -race=", "-race=true -race=false", ""},
		{"test -sarif ", ":files", "./..."},
		{"test -clips ", ":folders", ":files"},
		{"test -nosuch=", "", ":files"},
		{"test -args -v ", ":files", "-v"},
		{"replay ", ":files", "./..."},
		{"replay -", "-hang", "-sarif"},
		{"env -", "-json", "-tags"},
		{"env ", "", ":files"},
		{"nosuch ", ":files", ""},
	} {
		got := words(candidates(strings.Split(c.line, " ")))
		for _, w := range strings.Fields(c.has) {
			if !slices.Contains(got, w) {
				t.Errorf("heddle %s: no %s in %q", c.line, w, got)
			}
		}
		for _, w := range strings.Fields(c.not) {
			if slices.Contains(got, w) {
				t.Errorf("heddle %s: %s in %q", c.line, w, got)
			}
		}
	}
}

// TestFlagsOf: every command can be asked for its flags, and every part of the help names flags and
// commands once.
func TestFlagsOf(t *testing.T) {
	for _, c := range commands() {
		if flagsOf(c.name) == nil {
			t.Errorf("heddle %s -h registers no flags", c.name)
		}
	}
	for _, parts := range [][]section{commandSections, flagSections} {
		seen := map[string]bool{}
		for _, s := range parts {
			for _, n := range s.names {
				if seen[n] {
					t.Errorf("%s is in two parts of the help", n)
				}
				seen[n] = true
			}
		}
	}
	var names []string
	flagsOf("test").VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	var shown []string
	for _, s := range sections(flagSections, names) {
		shown = append(shown, s.names...)
	}
	slices.Sort(shown)
	if !slices.Equal(shown, names) {
		t.Errorf("the help of test shows %q of %q", shown, names)
	}
}

// TestShells: the scripts work in the shells that there are. A shell is given a heddle on its path
// and a line, and is asked for what it would offer.
func TestShells(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(exe, filepath.Join(bin, "heddle")); err != nil {
		t.Skip(err)
	}
	env := append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	drive := map[string]string{
		"bash": `source <(heddle completion bash)
COMP_LINE=$1 COMP_POINT=${#1}
_heddle 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"`,
		"zsh": `autoload -U compinit; compinit -u -D
compdef() { : }
_describe() { local -a l; l=("${(@P)3}"); print -l -- "${l[@]%%:*}" }
_files() { print -l *(N) }
source <(heddle completion zsh)
words=(${(s: :)1}) ; [[ $1 == *" " ]] && words+=("")
CURRENT=${#words}
_heddle`,
		"fish": `heddle completion fish | source
complete -C $argv[1] | string replace -r '\t.*' ''
true`,
	}
	lines := []struct{ line, has, not string }{
		{"heddle rep", "replay", "test"},
		{"heddle test -visible ", "sync", "replay"},
		{"heddle test -bud", "-budget", "-runs"},
		{"heddle explain dead", "deadlock", "leak"},
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(err)
			}
			for _, c := range lines {
				args := []string{"-c", drive[shell], shell, c.line}
				if shell == "fish" {
					args = []string{"-c", drive[shell], c.line}
				}
				cmd := exec.Command(path, args...)
				cmd.Env, cmd.Dir = env, t.TempDir()
				out, err := cmd.CombinedOutput()
				got := strings.Fields(string(out))
				if err != nil || !slices.Contains(got, c.has) || slices.Contains(got, c.not) {
					t.Errorf("%s: %v %s: want %s, not %s", c.line, err, out, c.has, c.not)
				}
			}
		})
	}
}
