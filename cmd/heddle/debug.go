package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/term"

	"heddle/build"
	"heddle/clip"
	"heddle/debug"
	"heddle/debug/dap"
	"heddle/debug/rpc"
	terminal "heddle/debug/term"
	"heddle/rt/wire"
)

// debugOptions are the flags of debug alone.
type debugOptions struct {
	listen string
	config string
}

func (d *debugOptions) flags(fs *flag.FlagSet) {
	fs.StringVar(&d.listen, "listen", "", "serve the Debug Adapter Protocol to an editor that connects to `address`, such as 127.0.0.1:2345; stdio: over standard input and output")
	fs.StringVar(&d.config, "config", "",
		"print what an `editor` needs to connect, and end: vscode or goland")
}

// debug is heddle debug.
func (t *tool) debug(ctx context.Context, args []string) int {
	o, d := new(options), new(debugOptions)
	rest, err := t.parse("debug", o, args, true, o.buildFlags, o.pickFlags, o.hangFlag, d.flags)
	if err != nil {
		return t.parseError(err)
	}
	if d.config != "" {
		text, err := debug.EditorConfig(d.config, d.listen)
		if err != nil {
			return t.misuse("heddle debug: %v", err)
		}
		fmt.Fprint(t.Stdout, text)
		return exitFine
	}
	if len(rest) != 1 {
		return t.misuse("usage: heddle debug [flags] CLIP\nCLIP is a file below testdata/heddle, as heddle test prints it. 'heddle debug -config vscode' prints the settings of an editor.")
	}
	if d.listen == "" && !term.IsTerminal(int(os.Stdin.Fd())) {
		return t.misuse("heddle debug: standard input is no terminal. Run it in one, or let an editor do the rest: 'heddle debug -listen 127.0.0.1:2345 %s', with the settings that 'heddle debug -config vscode' (or goland) prints.", rest[0])
	}
	p, err := t.debugged(ctx, o, t.abs(rest[0]))
	if err != nil {
		if ctx.Err() != nil {
			return exitInterrupted
		}
		return t.fail(err)
	}
	if d.listen != "" {
		err = t.serveDebugger(ctx, p, d.listen, rest[0])
	} else {
		err = t.debugHere(ctx, p)
	}
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		return t.fail(err)
	}
	return exitFine
}

// debugged builds the program of a clip for a debugger, and executes the clip once without one: to
// see that it fits, and to know its steps.
func (t *tool) debugged(ctx context.Context, o *options, path string) (*debug.Program, error) {
	file, err := clip.ReadAny(path)
	if err != nil {
		return nil, err
	}
	c := &file.Clip
	if c.Sequence {
		return nil, fmt.Errorf("%s: it is a sequence, which 'heddle replay' tries; heddle debug takes the clip of a finding", path)
	}
	o = o.under(c)
	o.debug = true
	e := &exploration{tool: t, o: o, main: file.Test == mainTest}
	setEnvironment(c)
	p, err := e.buildFor(ctx, path, file)
	switch {
	case err != nil:
		return nil, err
	case p.Failed != "":
		return nil, fmt.Errorf("%s does not compile:\n%s", p.ImportPath, p.Failed)
	case e.launch.foreign() || e.launch.prefix != nil:
		return nil, errors.New("heddle debug executes binaries of this machine, as they are: leave out -exec, GOOS and GOARCH")
	}
	c.Path = path
	d, err := e.debugProgram(ctx, p, c)
	if err != nil && ctx.Err() == nil && file.Package != "" && file.Package != p.ImportPath {
		err = fmt.Errorf("%w\nit was recorded in package %s, and the package here is %s", err,
			file.Package, p.ImportPath)
	}
	return d, err
}

// debugProgram returns what a debugger needs of a clip that fits.
func (e *exploration) debugProgram(ctx context.Context, p *build.Package,
	c *wire.Clip) (*debug.Program, error) {
	a, err := e.fitting(ctx, p, c)
	if err != nil {
		return nil, err
	}
	b := e.replaying(p, c, e.o)
	b.config.Settled, b.config.Rejoin, b.config.Longest = a.way.settled, a.way.rejoins, 0
	d := &debug.Program{Binary: b.path, Dir: b.dir, Args: b.args, Config: b.config, Unlink: e.unlink,
		GOROOT: e.looks.GOROOT,
		Whole:  a.died}
	show := e.report.Replay(c)
	for _, rec := range a.records {
		show.Record(rec)
	}
	for _, r := range show.Rows() {
		d.Steps = append(d.Steps, debug.Step{Number: r.Number, G: r.G, Op: r.Op, What: r.Text,
			Object: r.Object, ID: r.ID, File: r.File, Line: r.Line, Source: r.Source, Switch: r.Switch,
			Inside: r.Inside})
	}
	if f := a.last.Finding; f != nil {
		inFolder(f, p.Dir)
		for i := range f.Places {
			e.looks.Resolve(&f.Places[i])
		}
		d.Finding = f
	}
	return d, nil
}

// fitting returns the replay that shows the clip's finding, or one that shows nothing. The error is
// for a clip that does not fit.
func (e *exploration) fitting(ctx context.Context, p *build.Package, c *wire.Clip) (*attempt, error) {
	a, err := e.followed(ctx, p, c)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case a.last == nil && a.ended != nil:
		return nil, fmt.Errorf("%s: %v\n%s", c.Path, a.ended, lastLines(a.ended.output, 40))
	case a.last == nil:
		return nil, fmt.Errorf("%s: package %s has no test %s any more: if the test was renamed, explore it anew with 'heddle test'; if it is gone, delete the clip", c.Path, p.ImportPath, c.Test)
	case a.diverged() || a.last.Result == "unusable":
		return nil, fmt.Errorf("%s: the clip does not fit the code any more: %s; 'heddle replay %s' says whether the bug is still there, and 'heddle test' finds a clip that fits", c.Path, a.last.Reason, e.tool.short(c.Path))
	}
	return a, nil
}

// serveDebugger waits for an editor, and serves it until it goes away.
func (t *tool) serveDebugger(ctx context.Context, p *debug.Program, address, clip string) error {
	if address == "stdio" {
		return dap.Serve(ctx, p, struct {
			io.Reader
			io.Writer
		}{os.Stdin, os.Stdout})
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("-listen %s: %v; want an address of this machine with a port that is free, such as 127.0.0.1:2345", address, err)
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	fmt.Fprintf(t.Stderr, "heddle: %s\nheddle: waiting for a debugger at %s\n", p.Summary(), l.Addr())
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	l.Close() // one client: each step back needs the whole process
	defer conn.Close()
	return serveEither(ctx, p, conn)
}

// serveEither serves the Debug Adapter Protocol, whose messages begin with a header, or delve's
// own, whose messages are JSON.
func serveEither(ctx context.Context, p *debug.Program, conn net.Conn) error {
	in := bufio.NewReader(conn)
	both := struct {
		io.Reader
		io.WriteCloser
	}{in, conn}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if first, err := in.Peek(1); err == nil && first[0] == '{' {
		return rpc.Serve(ctx, p, both)
	}
	return dap.Serve(ctx, p, both)
}

// debugHere debugs in the terminal.
func (t *tool) debugHere(ctx context.Context, p *debug.Program) error {
	fd := int(os.Stdin.Fd())
	if old, err := term.GetState(fd); err == nil {
		defer term.Restore(fd, old) // should a line still be read then
	}
	line := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stderr}, "")
	return terminal.Run(ctx, p, func(prompt string) (string, error) {
		// Raw only while a line is read: then Ctrl-C ends an execution that goes on, as elsewhere.
		old, err := term.MakeRaw(fd)
		if err != nil {
			return "", err
		}
		defer term.Restore(fd, old)
		line.SetPrompt(prompt)
		return line.ReadLine()
	}, t.Stdout)
}
