package instrument

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heddle/instrument/std"
	"heddle/internal/goroot"
)

// run runs the go command, for example run, in dir. texts replace the files that they are named
// after; heddlert/hook and the patched standard library are laid. It returns the output.
func run(t testing.TB, dir string, texts map[string][]byte, command string, args ...string) string {
	t.Helper()
	src := filepath.Join(goroot.Real(t), "src") + string(filepath.Separator)
	library, replace, tmp := map[string][]byte{}, map[string]string{}, t.TempDir()
	for path, text := range texts {
		if name, ok := strings.CutPrefix(path, src); ok {
			library[filepath.ToSlash(name)] = text
			continue
		}
		file := filepath.Join(tmp, fmt.Sprintf("%d_%s", len(replace), filepath.Base(path)))
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[path] = file
	}
	for _, pkg := range []string{"hook", "splitmix"} {
		for path, text := range laidFiles(t, "../rt/"+pkg) {
			library["heddlert/"+pkg+"/"+filepath.Base(path)] = text
		}
	}
	for _, pkg := range []string{"runtime", "sync/atomic"} {
		for name, text := range std.Added(pkg) {
			library[pkg+"/"+name] = text
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o666); err != nil {
		t.Fatal(err)
	}
	args = append([]string{command, "-overlay", overlay}, args...)
	out, err := goroot.New(t, library).Go(t, dir, args...)
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func goEnv(t testing.TB, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// goRun runs the go command and returns its output.
func goRun(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// rewritten rewrites the packages of the module in dir and returns the texts and the tables.
func rewritten(t testing.TB, dir string, mode Mode, args ...string) (map[string][]byte, []*Output) {
	t.Helper()
	t.Setenv("GOWORK", "off")
	inputs := load(t, dir, args...)
	im := NewImporter(inputs)
	texts := map[string][]byte{}
	var outs []*Output
	for _, in := range inputs {
		if !strings.HasPrefix(in.Dir, dir) {
			continue
		}
		in.Mode = mode
		in.Mode.Plain = LosesVersions(goEnv(t, "GOVERSION"))
		out, err := Rewrite(in, im)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range out.Skipped {
			t.Log("skipped", s)
		}
		for path, text := range out.Files {
			texts[path] = text
			if d := os.Getenv("HEDDLE_DUMP"); d != "" {
				os.WriteFile(filepath.Join(d, filepath.Base(dir)+"_"+filepath.Base(path)), text, 0o666)
			}
		}
		outs = append(outs, out)
	}
	return texts, outs
}

// TestBehave runs programs plain and rewritten, and compares their output.
func TestBehave(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, name := range []string{"modern", "old"} {
		dir, err := filepath.Abs(filepath.Join("testdata/behave", name))
		if err != nil {
			t.Fatal(err)
		}
		want := goRun(t, dir, "run", ".")
		for _, mode := range []Mode{{Memory: true}, {}} {
			t.Run(fmt.Sprintf("%s,memory=%t", name, mode.Memory), func(t *testing.T) {
				texts, _ := rewritten(t, dir, mode, ".")
				for path, text := range texts {
					if !LosesVersions(goEnv(t, "GOVERSION")) { // see Mode.Plain
						checkLines(t, path, text)
					}
				}
				start := time.Now()
				got := run(t, dir, texts, "run", ".")
				t.Log("built and run in", time.Since(start))
				if got != want {
					t.Errorf("rewritten:\n%s", diff(want, got))
				}
			})
		}
	}
}

// diff shows the lines that differ, in pairs.
func diff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var out strings.Builder
	for i := range max(len(w), len(g)) {
		a, b := "", ""
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if strings.HasPrefix(a, "==") {
			fmt.Fprintln(&out, a)
		}
		if a != b {
			fmt.Fprintf(&out, "-%s\n+%s\n", a, b)
		}
	}
	return out.String()
}
