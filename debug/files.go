package debug

import (
	"encoding/json"
	"os"
	"path/filepath"

	"heddle/rt/wire"
)

// Files are those of one process, in a folder of their own.
type Files struct {
	dir     string
	Control *Control
	Config  string // of the process: wire.Env names it
}

// NewFiles makes the files of a new process of p.
func (p *Program) NewFiles() (f *Files, err error) {
	f = new(Files)
	if f.dir, err = os.MkdirTemp("", "heddle-debug-"); err != nil {
		return nil, err
	}
	if err := f.write(p); err != nil {
		f.Remove()
		return nil, err
	}
	return f, nil
}

func (f *Files) write(p *Program) (err error) {
	if f.Control, err = NewControl(filepath.Join(f.dir, "debug")); err != nil {
		return err
	}
	if p.Whole {
		if err := f.Control.Whole(); err != nil {
			return err
		}
	}
	c := p.Config
	c.RecordFile = filepath.Join(f.dir, "records")
	c.CrashFile = filepath.Join(f.dir, "crash")
	c.Debug = &wire.Debug{File: f.Control.Path, Real: p.Finding != nil && p.Finding.Real}
	data, err := json.Marshal(&c)
	if err != nil {
		return err
	}
	f.Config = filepath.Join(f.dir, "config.json")
	return os.WriteFile(f.Config, data, 0o600)
}

// Remove removes the files.
func (f *Files) Remove() {
	if f.Control != nil {
		f.Control.Close()
	}
	os.RemoveAll(f.dir)
}
