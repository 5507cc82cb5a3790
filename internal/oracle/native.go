package oracle

import (
	"bufio"
	"bytes"
	"context"
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

// Native has the observations of native executions of a program.
type Native struct {
	Rounds int
	// those that the program reported; also DEADLOCK, LEAK, HANG, PANIC ... and FATAL ...
	Outcomes map[string]bool
	Races    []string // the race detector's reports
}

func newNative() *Native { return &Native{Outcomes: map[string]bool{}} }

// native builds the programs of the reports in dir and executes them.
func (o *Oracle) native(ctx context.Context, dir string, reports []*Report) error {
	programs, byNumber := unpack(reports)
	if err := gogen.Write(dir, programs, gogen.Native); err != nil {
		return err
	}
	binary := filepath.Join(dir, "native")
	build := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "go",
			append(append([]string{"build"}, args...), "-gcflags=-e", "-o", binary, ".")...)
		cmd.Dir = dir
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := o.run("native build", cmd)
		return out.Bytes(), err
	}
	out, err := build("-race")
	if err != nil && bytes.Contains(out, []byte("-race requires cgo")) {
		out, err = build()
	}
	if err != nil {
		return fmt.Errorf("the programs do not compile: %w\n%s", err, out)
	}
	for from := 0; from < len(reports); {
		next, err := o.execute(ctx, binary, dir, from, reports, byNumber)
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

func unpack(reports []*Report) (programs []*gogen.Program, byNumber map[uint64]*Report) {
	byNumber = map[uint64]*Report{}
	for _, r := range reports {
		programs = append(programs, r.Program)
		byNumber[r.Program.Seed] = r
	}
	return programs, byNumber
}

var fatal = regexp.MustCompile(`(?m)^(?:fatal error|panic): (.*)`)

// execute executes programs from one on, until all are or the process dies of
// one. It returns which is next.
func (o *Oracle) execute(ctx context.Context, binary, dir string, from int, reports []*Report,
	byNumber map[uint64]*Report) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(len(reports))*(o.Limit+2*time.Second)+time.Minute)
	defer cancel()
	scratch, err := os.MkdirTemp(dir, "files-")
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, binary, strconv.Itoa(from), strconv.Itoa(o.Rounds),
		strconv.FormatInt(o.Limit.Milliseconds(), 10))
	cmd.Env = append(os.Environ(), "GOGEN_DIR="+scratch, "GORACE=exitcode=0 halt_on_error=0",
		"GOTRACEBACK=all")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	died := o.run("native executions", cmd)
	last, ended := -1, true
	for line := range strings.Lines(out.String()) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, text, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("native run: unexpected line %q", line)
		}
		switch word {
		case "begin":
			last, ended = int(n), false
		case "saw":
			s, err := strconv.Unquote(text)
			if err != nil {
				return 0, fmt.Errorf("native run: unexpected line %q", line)
			}
			byNumber[n].Native.Outcomes[s] = true
		case "end":
			ended = true
			byNumber[n].Native.Rounds, _ = strconv.Atoi(text)
		}
	}
	races(stderr.String(), byNumber)
	if died == nil {
		return len(reports), nil
	}
	if last < from || ended {
		return 0, fmt.Errorf("native run: %w\n%s", died, tail(stderr.String()))
	}
	what := died.Error()
	text := stderr.String()
	if i := strings.LastIndex(text, "\nbegin "); i >= 0 {
		text = text[i:]
	}
	if m := fatal.FindStringSubmatch(text); m != nil {
		what = m[1]
	}
	reports[last].Native.Outcomes["FATAL "+what] = true
	return last + 1, nil
}

func tail(s string) string { return s[max(0, len(s)-4000):] }

var (
	race = regexp.MustCompile(`(?s)WARNING: DATA RACE\n(.*?)\n==================`)
	inP  = regexp.MustCompile(`main\.p(\d+)[.(]`)
)

// races assigns the race detector's reports to the programs.
func races(text string, byNumber map[uint64]*Report) {
	for _, m := range race.FindAllStringSubmatch(text, -1) {
		// Only the first two stacks count: where the goroutines were started may be the only frame
		// of the program's.
		if n := inP.FindStringSubmatch(m[1]); n != nil {
			number, _ := strconv.ParseUint(n[1], 10, 64)
			if r := byNumber[number]; r != nil && len(r.Native.Races) < 20 {
				r.Native.Races = append(r.Native.Races, m[1])
			}
		}
	}
}

var (
	stack  = regexp.MustCompile(`(?m)^(?:Previous )?(?:[Rr]ead|[Ww]rite|[Aa]tomic [a-z]+) at .*\n((?:  .*\n)+)`)
	frame  = regexp.MustCompile(`(?m)^  (\S.*)\(\)$`)
	inMain = regexp.MustCompile(`^main\..*`)
)

// between returns the functions of the two accesses in a report of the race detector: the first of
// each stack outside package runtime.
func between(report string) string {
	var names []string
	for _, s := range stack.FindAllStringSubmatch(report, -1) {
		for _, f := range frame.FindAllStringSubmatch(s[1], -1) {
			if name := inMain.ReplaceAllString(f[1], "the program"); !strings.HasPrefix(name, "runtime.") ||
				strings.HasPrefix(name, "runtime.c") {
				names = append(names, name)
				break
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, " and ")
}

// lines calls f with every line of data.
func lines(data []byte, f func([]byte)) {
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		f(s.Bytes())
	}
}
