// Package run starts a test binary of package build and reads its records, for the bench command
// and the acceptance of the examples. The command heddle does more (limits, crashes, output) and
// has its own code for it.
package run

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"heddle/build"
	"heddle/rt/wire"
)

// Build builds one package. The error includes errors of compilation.
func Build(ctx context.Context, c build.Config) (*build.Result, *build.Package, error) {
	b, err := build.Open(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	res, err := b.Build(ctx)
	if err != nil {
		return nil, nil, err
	}
	p := &res.Packages[0]
	if p.Failed != "" {
		return nil, nil, fmt.Errorf("%s does not compile:\n%s", p.ImportPath, p.Failed)
	}
	return res, p, nil
}

// Binary runs a test binary in dir to its end and calls record with each of its records.
func Binary(ctx context.Context, path, dir string, config wire.Config, args []string,
	record func(*wire.Record)) error {
	tmp, err := os.MkdirTemp("", "heddle-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	config.CrashFile = filepath.Join(tmp, "crash")
	data, err := json.Marshal(&config)
	if err != nil {
		return err
	}
	file := filepath.Join(tmp, "config.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, path,
		append([]string{"-test.timeout=0", "-test.paniconexit0"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), wire.Env+"="+file)
	cmd.ExtraFiles = []*os.File{w}
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Start()
	w.Close()
	if err != nil {
		return err
	}
	for in := bufio.NewReader(r); ; {
		line, err := in.ReadBytes('\n')
		rec := new(wire.Record)
		if len(line) > 0 && json.Unmarshal(line, rec) == nil {
			record(rec)
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %v\n%s", filepath.Base(path), err, out.String())
	}
	return nil
}
