package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A listed is one package as go list prints it. Test variants are packages of
// their own: "p [p.test]", "p_test [p.test]", and the generated main "p.test".
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	DepOnly    bool
	ForTest    string
	Match      []string
	Module     *listedModule

	GoFiles, CgoFiles                                          []string
	CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles           []string
	SwigFiles, SwigCXXFiles, SysoFiles, EmbedFiles             []string
	TestGoFiles, XTestGoFiles                                  []string
	CgoCFLAGS, CgoCPPFLAGS, CgoCXXFLAGS, CgoFFLAGS, CgoLDFLAGS []string

	Imports   []string          // resolved: test variants by their full name
	ImportMap map[string]string // from import path in the source to full name, where they differ

	Incomplete bool
	Error      *struct{ Pos, Err string }
}

type listedModule struct {
	Path, Version, GoVersion string
	Dir, GoMod               string
	Main                     bool
	Replace                  *struct{ Version string }
}

const listFields = "ImportPath,Name,Dir,Standard,DepOnly,ForTest,Match,Module," +
	"GoFiles,CgoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,EmbedFiles," +
	"TestGoFiles,XTestGoFiles,CgoCFLAGS,CgoCPPFLAGS,CgoCXXFLAGS,CgoFFLAGS,CgoLDFLAGS," +
	"Imports,ImportMap,Incomplete,Error"

// base returns the import path without the suffix of a test variant: "p" for "p [q.test]".
func base(path string) string {
	if i := strings.IndexByte(path, ' '); i >= 0 {
		return path[:i]
	}
	return path
}

// isTestMain reports whether p is a generated "p.test" package.
func (p *listed) isTestMain() bool {
	return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") && len(p.GoFiles) == 1 &&
		filepath.IsAbs(p.GoFiles[0])
}

// language returns the Go version of p's files, such as "1.22".
func (p *listed) language() string {
	if p.Standard {
		return ""
	}
	if p.Module == nil || p.Module.GoVersion == "" {
		return "1.16" // the go command's default if go.mod does not say
	}
	return p.Module.GoVersion
}

// immutable reports whether p comes from the module cache, where the content of a directory never
// changes.
func (p *listed) immutable() bool {
	m := p.Module
	return m != nil && !m.Main && m.Version != "" && (m.Replace == nil || m.Replace.Version != "")
}

// abs returns the absolute path of one of p's files.
func (p *listed) abs(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(p.Dir, file)
}

// list asks go list for the packages that the patterns name and for all their dependencies, with
// tests unless Main is set. Dependencies come before dependents.
func (b *Builder) list(ctx context.Context) ([]*listed, error) {
	// outside a module; in the root folder, or with an overlay, go list would not report it
	if b.tool["GOMOD"] == os.DevNull {
		if _, err := b.goCommand(ctx, append([]string{"list", "-e", "--"}, b.Patterns...)...); err != nil {
			return nil, err
		}
	}
	args := []string{"list", "-e", "-deps", "-json=" + listFields}
	if !b.Main {
		args = append(args, "-test")
	}
	if b.Tags != "" {
		args = append(args, "-tags="+b.Tags)
	}
	if err := b.ask(ctx); err != nil {
		return nil, err
	}
	args = append(args, "-overlay="+b.base.path, "--")
	args = append(args, b.asked...)
	out, err := b.run(ctx, b.rootedCommand(ctx, args...))
	if err != nil {
		return nil, err
	}
	var pkgs []*listed
	for dec := json.NewDecoder(bytes.NewReader(b.root.out(out))); ; {
		p := new(listed)
		if err := dec.Decode(p); err == io.EOF {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %v", err)
		}
		if err := unseen(p); err != nil {
			return nil, err
		}
		pkgs = append(pkgs, p)
	}
}

// ask sets asked. The go command expands "..." without following links, so patterns that may match
// the standard library are expanded with its real folder.
func (b *Builder) ask(ctx context.Context) error {
	b.asked = nil
	for _, pat := range b.Patterns {
		first, _, _ := strings.Cut(filepath.ToSlash(pat), "/")
		switch wild := strings.Contains(pat, "..."); {
		case filepath.IsAbs(pat):
			pat = b.root.in(pat)
		case pat == "std", pat == "cmd", wild &&
			(!strings.Contains(first, ".") || strings.HasPrefix(first, "...")):
			out, err := b.goCommand(ctx, "list", "-e", "--", pat)
			if err != nil {
				return err
			}
			if paths := strings.Fields(string(out)); len(paths) > 0 {
				b.asked = append(b.asked, paths...)
				continue
			}
		}
		b.asked = append(b.asked, pat)
	}
	return nil
}

// A toolchain is the output of go env in the user's directory.
type toolchain map[string]string

func (b *Builder) env(ctx context.Context) (toolchain, error) {
	out, err := b.goCommand(ctx, "env", "-json")
	if err != nil {
		return nil, err
	}
	var t toolchain
	if err := json.Unmarshal(out, &t); err != nil {
		return nil, fmt.Errorf("'go env -json' did not print JSON (%v): is the go command in $PATH that of Go?", err)
	}
	return t, nil
}

// goCommand runs the go command in the user's directory and returns its output. Its error includes
// the command's own message.
func (b *Builder) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	return b.run(ctx, b.command(ctx, args...))
}

func (b *Builder) run(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("heddle needs the go command in $PATH: install Go from https://go.dev/dl")
		}
		if msg := strings.TrimSpace(stderr.String()); msg != "" {
			return nil, errors.New(string(b.root.out([]byte(msg))))
		}
		return nil, fmt.Errorf("go %s: %v", cmd.Args[1], err)
	}
	return stdout.Bytes(), nil
}

// command prepares a run of the go command in the user's directory.
func (b *Builder) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.Dir
	cmd.Env = append(cmd.Environ(), b.extraEnv...)
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil { // Windows has no signals
			return cmd.Process.Kill()
		}
		return nil
	}
	return cmd
}
