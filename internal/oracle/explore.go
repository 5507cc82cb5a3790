package oracle

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/internal/gogen"
)

// Explored is heddle's result for a program with one strategy.
type Explored struct {
	Ended      bool // there is a summary
	Complete   bool
	Executions int
	Elapsed    float64
	Result     string // as text
	Outcomes   map[uint64]bool
	Findings   []Finding
	Broken     []string // notes that should never occur
	Unshown    []string // findings that their clips do not show again
}

// A Finding is the part of a finding event of heddle's -json that is needed here.
type Finding struct {
	Action, Package, Test, Kind, Message, Clip, Output string
	Places                                             []struct {
		File, Op, Object string
		Line             int
	}
	Complete   bool
	Executions int
	Elapsed    float64
}

func (f *Finding) String() string {
	s := f.Kind + ": " + f.Message
	for _, p := range f.Places {
		s += fmt.Sprintf("; %s %s line %d", p.Op, p.Object, p.Line)
	}
	return s
}

func (e *Explored) find(kind string) *Finding {
	for i := range e.Findings {
		if e.Findings[i].Kind == kind {
			return &e.Findings[i]
		}
	}
	return nil
}

// kinds returns the kinds of e's findings.
func (e *Explored) kinds() []string {
	var list []string
	for i := range e.Findings {
		list = append(list, e.Findings[i].Kind)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// explore runs heddle on the programs of the reports with each strategy.
func (o *Oracle) explore(ctx context.Context, dir string, reports []*Report) error {
	programs, byNumber := unpack(reports)
	if err := gogen.Write(dir, programs, gogen.Test); err != nil {
		return err
	}
	for _, s := range o.Strategies {
		clips := filepath.Join(dir, "clips-"+s)
		out, err := o.heddle(ctx, dir, s, "-strategy", s, "-runs", strconv.Itoa(o.Runs), "-budget",
			o.Budget.String(), "-clips", clips)
		if err != nil {
			return fmt.Errorf("heddle test -strategy %s: %w", s, err)
		}
		for n, e := range read(out) {
			if r := byNumber[n]; r != nil {
				r.Heddle[s] = e
			}
		}
		if err := outcomes(dir, s, byNumber); err != nil {
			return err
		}
	}
	if !o.Clips {
		return nil
	}
	return o.clips(ctx, dir, reports)
}

// clips replays the clips of all strategies: first all together with heddle test, then with heddle
// replay those that did not show their findings.
func (o *Oracle) clips(ctx context.Context, dir string, reports []*Report) error {
	together := filepath.Join(dir, "clips")
	for _, s := range o.Strategies {
		if err := merge(together, filepath.Join(dir, "clips-"+s)); err != nil {
			return err
		}
	}
	out, err := o.heddle(ctx, dir, "clips", "-strategy", "first", "-runs", "500", "-predict=false", "-clips",
		together)
	if err != nil {
		return fmt.Errorf("heddle test with clips: %w", err)
	}
	shown := map[string]bool{}
	for _, e := range read(out) {
		for i := range e.Findings {
			shown[filepath.Base(e.Findings[i].Clip)] = true
		}
	}
	for _, r := range reports {
		for _, h := range r.Heddle {
			for i := range h.Findings {
				f := &h.Findings[i]
				if f.Clip != "" && shown[filepath.Base(f.Clip)] {
					continue
				}
				if text := o.replay(ctx, dir, f.Clip); text != "" {
					h.Unshown = append(h.Unshown,
						fmt.Sprintf("%s; replay of clip %s: %s", f, filepath.Base(f.Clip), text))
				} else {
					shown[filepath.Base(f.Clip)] = true
				}
			}
		}
	}
	return nil
}

// replay returns the output of heddle replay unless it shows the finding.
func (o *Oracle) replay(ctx context.Context, dir, clip string) string {
	if clip == "" {
		return "there is none"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Heddle, "replay", clip)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOGEN_DIR="+filepath.Join(dir, "files"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := o.run("replay", cmd)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return ""
	}
	return fmt.Sprintf("%v\n%s", err, tail(out.String()))
}

// merge copies the clips of a folder into another one.
func merge(to, from string) error {
	files, err := filepath.Glob(filepath.Join(from, "*", "*", "*", "*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(to, filepath.Dir(rel)), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, rel), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// heddle runs heddle and returns the output.
func (o *Oracle) heddle(ctx context.Context, dir, what string, args ...string) ([]byte, error) {
	files := filepath.Join(dir, "files")
	if err := os.MkdirAll(files, 0o777); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Heddle, append([]string{"test", "-json", "-p", "1"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOGEN_DIR="+files)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := o.run("heddle "+what, cmd)
	exit := (*exec.ExitError)(nil)
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		err = nil
	case exit != nil &&
		bytes.Contains(out.Bytes(), []byte(`"summary"`)): // heddle failed on some program; the others count
		o.Failures = append(o.Failures,
			fmt.Sprintf("heddle test %s: %v\n%s\n%s", strings.Join(args, " "), err, tail(stderr.String()),
				tail(out.String())))
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w\n%s\n%s", err, tail(stderr.String()), tail(out.String()))
	}
	return out.Bytes(), nil
}

var (
	number = regexp.MustCompile(`^TestP(\d+)$`)
	// broken matches results and notes that should never occur with programs like these.
	broken = regexp.MustCompile(`was not possible|diverge|not deterministic|internal error|does not show it|gave different executions|not independent|uncontrolled`)
)

// read parses the events of -json.
func read(out []byte) map[uint64]*Explored {
	all := map[uint64]*Explored{}
	lines(out, func(line []byte) {
		line = bytes.TrimSpace(line)
		var f Finding
		if json.Unmarshal(line, &f) != nil {
			return
		}
		m := number.FindStringSubmatch(f.Test)
		if m == nil {
			return
		}
		n, _ := strconv.ParseUint(m[1], 10, 64)
		e := all[n]
		if e == nil {
			e = &Explored{Outcomes: map[uint64]bool{}}
			all[n] = e
		}
		switch f.Action {
		case "finding":
			e.Findings = append(e.Findings, f)
		case "summary":
			e.Ended, e.Complete, e.Executions, e.Elapsed = true, f.Complete, f.Executions, f.Elapsed
		case "output":
			text := strings.TrimSpace(f.Output)
			if broken.MatchString(text) && !slices.Contains(e.Broken, text) {
				e.Broken = append(e.Broken, text)
			}
			if strings.HasPrefix(text, "all ") || strings.HasPrefix(text, "no findings") ||
				strings.HasPrefix(text, "--- FAIL") {
				e.Result = text
			}
		}
	})
	return all
}

// outcomes reads the outcomes that the programs reported in all processes, and removes the files.
func outcomes(dir, strategy string, byNumber map[uint64]*Report) error {
	files, err := filepath.Glob(filepath.Join(dir, "files", "*", "outcomes"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := told(file, strategy, byNumber); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(dir, "files"))
}

// told reads the outcomes that the programs reported in one process.
func told(file, strategy string, byNumber map[uint64]*Report) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var n uint64
	if err := binary.Read(f, binary.LittleEndian, &n); err != nil {
		return err
	}
	pairs := make([][2]uint64, n)
	if err := binary.Read(f, binary.LittleEndian, pairs); err != nil {
		return err
	}
	for _, p := range pairs {
		if r := byNumber[p[0]]; r != nil && r.Heddle[strategy] != nil {
			r.Heddle[strategy].Outcomes[p[1]] = true
		}
	}
	return nil
}
