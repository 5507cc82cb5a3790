package main

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"heddle/clip"
	"heddle/report/timeline"
)

// about says of a page what it shows: by which command, of which program, when. file is the clip of
// the page, nil for the list of a run.
func (t *tool) about(ctx context.Context, file *clip.File) []timeline.Term {
	terms := []timeline.Term{{Name: "command", Value: commandLine(t.args)}}
	add := func(name, value string) {
		if value != "" {
			terms = append(terms, timeline.Term{Name: name, Value: value})
		}
	}
	add("commit", t.commit(ctx))
	add("heddle", version())
	if file != nil {
		add("seed", strconv.FormatUint(file.Seed, 10))
		add("Go", file.Go)
		if file.Heddle != version() {
			add("clip recorded by heddle", file.Heddle)
		}
	}
	add("drawn", time.Now().UTC().Format("2006-01-02 15:04:05 UTC"))
	return terms
}

// commandLine returns a command as one would type it.
func commandLine(args []string) string {
	words := []string{"heddle"}
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`*?[]{}()<>|&;!#~") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// commit returns the commit of the current folder, or "" where git knows none.
func (t *tool) commit(ctx context.Context) string {
	git := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = t.Dir
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	head, err := git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return ""
	}
	changes, err := git("status", "--porcelain", "--untracked-files=no", ".")
	if err == nil && changes != "" {
		head += " (with changes)"
	}
	return head
}
