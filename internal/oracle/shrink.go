package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"heddle/internal/gogen"
)

// Shrink returns the report of a smaller program with r's first failure, or r.
func (o *Oracle) Shrink(ctx context.Context, r *Report) *Report {
	kind := r.Wrong[0].Kind
	small := New(o.Heddle, o.Dir)
	small.Runs, small.Budget = o.Runs, o.Budget
	what, strategy, _ := strings.Cut(kind, "|")
	if !strings.HasSuffix(what, "differ") {
		small.Strategies = []string{strategy}
	}
	small.Rounds = 0
	if strings.HasPrefix(what, "missed") || what == "hang" {
		small.Rounds, small.Limit = o.Rounds*3, o.Limit*2
	}
	small.Clips = what == "clip"
	for range 40 {
		better := small.step(ctx, r, kind)
		if better == nil {
			return r
		}
		r = better
	}
	return r
}

// step returns the report of the smallest program that is r's with one part removed and fails in
// the same way, or nil.
func (o *Oracle) step(ctx context.Context, r *Report, kind string) *Report {
	seed := r.Program.Seed
	candidates := gogen.Smaller(r.Program)
	for len(candidates) > 0 && ctx.Err() == nil {
		n := min(len(candidates), 24)
		batch := candidates[:n]
		candidates = candidates[n:]
		for i, p := range batch {
			p.Seed = uint64(i + 1)
		}
		reports, err := o.Check(ctx, batch)
		if err != nil {
			continue
		}
		for _, s := range reports {
			s.Program.Seed = seed
			if s.Has(kind) {
				return s
			}
		}
	}
	return nil
}

// Save writes the module of a program and its failures to a new folder below dir, and returns the
// path.
func Save(dir string, r *Report) (string, error) {
	what, strategy, _ := strings.Cut(r.Wrong[0].Kind, "|")
	dir = filepath.Join(dir,
		fmt.Sprintf("%s-%s-%d", strings.ReplaceAll(what, " ", "-"), strategy, r.Program.Seed))
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	programs := []*gogen.Program{r.Program}
	if err := gogen.Write(dir, programs, gogen.Test); err != nil {
		return "", err
	}
	if err := gogen.Write(filepath.Join(dir, "native"), programs, gogen.Native); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(r.Program, "", "\t")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "program.json"), append(text, '\n'), 0o666); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Program %d, made of: %s\n\n", r.Program.Seed, strings.Join(r.Program.Pieces(), ", "))
	fmt.Fprintf(&b, "    go run ./scripts/oracle program.json   (in heddle's module; the path of this one)\n    heddle test -strategy %s -p 1 .\n    cd native && go build -race -o n . && GOGEN_DIR=$(mktemp -d) ./n 0 1000 10000\n\n", strategy)
	for _, f := range r.Wrong {
		b.WriteString(f.Text + "\n\n")
	}
	for s, h := range r.Heddle {
		fmt.Fprintf(&b, "%s: %s; %d executions, %d outcomes\n", s, h.Result, h.Executions, len(h.Outcomes))
		for i := range h.Findings {
			fmt.Fprintf(&b, "    %s\n", &h.Findings[i])
		}
	}
	for out := range r.Native.Outcomes {
		fmt.Fprintf(&b, "natively: %q\n", out)
	}
	return dir, os.WriteFile(filepath.Join(dir, "README"), []byte(b.String()), 0o666)
}

// Load reads a program that Save wrote.
func Load(file string) (*gogen.Program, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := new(gogen.Program)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}
