package instrument

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// load runs go list -deps in dir and returns Inputs for the listed packages.
func load(t testing.TB, dir string, args ...string) []*Input {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,ImportMap,Standard,Module,ForTest,DepOnly"}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var inputs []*Input
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Name, Dir, ForTest string
			GoFiles, CgoFiles              []string
			ImportMap                      map[string]string
			Standard, DepOnly              bool
			Module                         *struct{ GoVersion string }
		}
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		in := &Input{ImportPath: p.ImportPath, Name: p.Name, Dir: p.Dir, ImportMap: p.ImportMap,
			Standard: p.Standard}
		for _, f := range p.GoFiles {
			if !filepath.IsAbs(f) {
				f = filepath.Join(p.Dir, f)
			}
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			in.Files = append(in.Files, File{f, src})
		}
		for _, f := range p.CgoFiles {
			in.CgoFiles = append(in.CgoFiles, filepath.Join(p.Dir, f))
		}
		switch {
		case p.Standard:
		case p.Module == nil || p.Module.GoVersion == "":
			in.GoVersion = "1.16"
		default:
			in.GoVersion = p.Module.GoVersion
		}
		inputs = append(inputs, in)
	}
	return inputs
}
