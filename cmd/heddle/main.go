// Command heddle tests concurrent Go programs by deciding, step by step, which
// goroutine runs next:
//
//	heddle test   [flags] [packages]   explore the tests of packages
//	heddle predict [flags] [packages]  show bugs that one execution of each test lets expect
//	heddle compare [flags] [packages]  every strategy on the same tests, side by side
//	heddle run    [flags] package      explore a main package
//	heddle replay [flags] clip         show a finding again, step by step, or judge its fix
//	heddle clips  [flags]              list, show, renew and prune clips
//	heddle debug  [flags] clip         show a finding again in a debugger
//	heddle ask    [flags] question     find out whether tests can come to a moment at which something is so
//	heddle report [flags] clip...      draw findings on a page
//	heddle worker [flags]              explore what heddle test -nats hands out
//	heddle explain NAME                what a kind of finding, or a reason for "sampled", means
//	heddle completion SHELL            completion for bash, zsh and fish
//	heddle times, env, clean, version, help
//
// It exits with 0 when nothing was found, 1 when something was, and 2 when it
// was used wrongly or a package does not compile.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	out := &output{w: os.Stdout}
	t := &tool{Stdout: out, Stderr: os.Stderr}
	t.Dir, _ = os.Getwd()
	t.Terminal = term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb"
	t.Colour = term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("TERM") != "dumb" &&
		os.Getenv("NO_COLOR") == ""
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		t.Width = w
	}
	code := t.run(ctx, os.Args[1:])
	stop()
	t.close()
	if err := out.failed(); err != nil {
		fmt.Fprintf(os.Stderr, "heddle: what was found cannot be written: %v\n", err)
		code = max(code, exitUsage)
	}
	os.Exit(code)
}

// An output is standard output; it remembers the first error.
type output struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// A tool is one run of the command. Its fields let a test run it without a process.
type tool struct {
	Stdout, Stderr io.Writer
	Dir            string   // the current folder
	args           []string // of the command, for pages
	Terminal       bool     // Stderr is one: a status line is welcome
	Colour         bool     // Stdout is one
	Width          int      // of Stdout; 0: not a terminal

	// probe, if not nil, gets the flags of a command instead of its help being printed.
	probe func(*flag.FlagSet)

	mu   sync.Mutex
	ends []func() // what is to be done when the command is over
}

// atEnd has f called when the command is over.
func (t *tool) atEnd(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ends = append(t.ends, f)
}

func (t *tool) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.ends {
		f()
	}
	t.ends = nil
}

// Exit codes.
const (
	exitFine        = 0
	exitFindings    = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// A command is a subcommand.
type command struct {
	name, args, what string
	run              func(*tool, context.Context, []string) int
}

// commands lists the subcommands, in the order in which help shows them.
func commands() []command {
	return []command{
		{"test", "[flags] [packages] [-args ...]", "explore the interleavings of the packages' tests",
			(*tool).test},
		{"predict", "[flags] [packages]", "execute each test once, and then only what shows the bugs which that lets expect", (*tool).predict},
		{"compare", "[flags] [packages]", "explore each test by every strategy, and print what each took and found", (*tool).compare},
		{"run", "[flags] package [args]", "explore the interleavings of a main package", (*tool).runMain},
		{"replay", "[flags] clip [-args ...]", "show a finding again, step by step, or judge its fix",
			(*tool).replay},
		{"clips", "[list|show|prune|renew|go] [flags] [packages or clips]",
			"list the clips that are kept, show, delete or renew them, or make Go tests of them", (*tool).tend},
		{"debug", "[flags] clip", "show a finding again in a debugger, which can step back", (*tool).debug},
		{"ask", "[flags] [package] question",
			"find out whether there is a moment at which something is so, such as 'bank.go:21@main/1 && bank.go:22@main/2' or 'x == 0 && y == 1'", (*tool).ask},
		{"report", "-html file|-md file [flags] clip...",
			"draw findings on a page of HTML, or as Markdown", (*tool).drawClips},
		{"worker", "-nats URL -trust key [flags]",
			"explore what heddle test -nats hands out, on this machine", (*tool).worker},
		{"gen", "-type T [flags] [package]",
			"write tests that call the methods of a type from several goroutines",
			(*tool).gen},
		{"times", "[files]", "print what tests took when they were explored last, for -shard; of files that it printed, all in one", (*tool).printTimes},
		{"env", "[-json] [names]", "print the settings heddle works with, and how much its cache takes",
			(*tool).printEnv},
		{"clean", "", "empty heddle's cache", (*tool).clean},
		{"explain", "[name]", "say what a kind of finding, or a reason why a test was not covered, means",
			(*tool).explain},
		{"completion", "bash|zsh|fish", "print a script that completes heddle's command lines in a shell",
			(*tool).completion},
		{"version", "[-json]", "print heddle's version, what built it and the Go releases that it drives",
			(*tool).printVersion},
	}
}

func (t *tool) run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		t.help(t.Stderr)
		return exitUsage
	}
	t.args = args
	switch name := args[0]; name {
	case "help", "-h", "-help", "--help":
		if len(args) > 1 && name == "help" {
			return t.helpOn(ctx, args[1])
		}
		t.help(t.Stdout)
		return exitFine
	case completeCommand:
		return t.complete(ctx, args[1:])
	case "-version", "--version", "-V":
		return t.printVersion(ctx, args[1:])
	default:
		for _, c := range commands() {
			if c.name == name {
				return c.run(t, ctx, args[1:])
			}
		}
		return t.misuse("heddle %s: unknown command%s. Run 'heddle help' for the list.", name,
			meant(name, commandNames()))
	}
}

// misuse prints what was wrong with the command line and returns the exit code for it.
func (t *tool) misuse(format string, args ...any) int {
	fmt.Fprintf(t.Stderr, format+"\n", args...)
	return exitUsage
}

// fail prints an error that is not about the command line.
func (t *tool) fail(err error) int {
	fmt.Fprintf(t.Stderr, "heddle: %v\n", err)
	return exitUsage
}
