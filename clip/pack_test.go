package clip

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"heddle/rt/wire"
)

// steps makes n steps. next returns the goroutine of step i.
func steps(n int, next func(i int) string) []wire.Step {
	made := map[string]int{}
	out := make([]wire.Step, n)
	for i := range out {
		g := next(i)
		k := made[g] % 7
		made[g]++
		out[i] = wire.Step{G: g,
			Op: []string{"lock", "unlock", "send", "recv", "atomic-load", "read", "write"}[k], Choice: -1,
			Switch: i > 0 && out[i-1].G != g && out[i-1].Op != "recv",
			Where:  wire.Place{Object: "mu", File: "pool.go", Line: 100 + k}}
		if k == 3 {
			out[i].Choice = i % 2
		}
	}
	return out
}

// schedules returns long clips of different character.
func schedules() map[string][]wire.Step {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	g := "main"
	runs := func(int) string {
		if r.IntN(5) == 0 {
			g = fmt.Sprintf("main/%d", r.IntN(20)+1)
		}
		return g
	}
	return map[string][]wire.Step{
		"in turn":         steps(n, func(i int) string { return fmt.Sprintf("main/%d", i%2+1) }),
		"many in turn":    steps(n, func(i int) string { return fmt.Sprintf("main/%d", i%1000+1) }),
		"random":          steps(n, func(i int) string { return fmt.Sprintf("main/%d", r.IntN(8)+1) }),
		"random runs":     steps(n, runs),
		"many goroutines": steps(n, func(i int) string { return fmt.Sprintf("main/1/%d", i/2+1) }),
		"deep":            steps(3_000, func(i int) string { return "main" + strings.Repeat("/1", i/10) }),
	}
}

// A clip takes at most 64 KB for 100,000 steps, and Parse restores it.
func TestPacked(t *testing.T) {
	for name, steps := range schedules() {
		t.Run(name, func(t *testing.T) {
			f := transfer()
			f.Steps = steps
			text := f.Format()
			if len(text) > 64<<10 {
				t.Errorf("%d bytes for %d steps", len(text), len(steps))
			}
			got, err := ParseFile("", text)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, f) {
				t.Error("it is read back otherwise")
			}
		})
	}
}

// A clip with very many blocked goroutines names each of them and stays small.
func TestPackedPlaces(t *testing.T) {
	f := transfer()
	f.Places = nil
	for i := range 20_000 {
		f.Places = append(f.Places,
			wire.Place{Op: "recv", Object: "c", File: "a.go", Line: 7 + i%2,
				Goroutine: fmt.Sprintf("main/%d", i+1)})
	}
	text := f.Format()
	if n := len(text); n > 64<<10 {
		t.Errorf("%d bytes", n)
	}
	got, err := ParseFile("", text)
	if err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("it is read back otherwise: %v", err)
	}
}

// Short clips stay as text.
func TestNotPacked(t *testing.T) {
	f := transfer()
	f.Steps = steps(500, func(i int) string { return "main" })
	if text := f.Format(); bytes.Contains(text, []byte("packed")) {
		t.Errorf("packed: %s", text)
	}
}

// Data that claims too many entries is refused before memory is allocated for it.
func TestPackedErrors(t *testing.T) {
	f := transfer()
	f.Steps = schedules()["random"]
	good := string(f.Format())
	at := strings.Index(good, "steps packed\n") + len("steps packed\n")
	for _, tt := range []struct{ name, in, want string }{
		{"too many", strings.Replace(good, "end 100000", "end 1000000000000", 1),
			"expected at most 2000000 steps in all"},
		{"not so many", strings.Replace(good, "end 100000", "end 99999", 1), "packed steps: expected"},
		{"more", strings.Replace(good, "end 100000", "end 100001", 1),
			"expected packed steps: 100001 steps, found 100000"},
		{"no base64", good[:at] + "*" + good[at:],
			"expected packed steps in base64, found illegal base64 data"},
		{"cut short", good[:at+101] + "end 100000\n", "damaged data (unexpected EOF)"},
		{"no end", good[:at+200], "is it cut short?"},
		{"a bomb", good[:at] + base64.StdEncoding.EncodeToString(deflated(make([]byte, MaxFile+1))) +
			"\nend 1\n", "expected packed steps of at most 67108864 bytes, found more"},
		{"many names",
			good[:at] + base64.StdEncoding.EncodeToString(deflated([]byte{0xff, 0xff, 0xff, 0xff, 0xff,
				0x1})) + "\nend 1\n", "a number of goroutines of at most"},
	} {
		_, err := ParseFile("f", []byte(tt.in))
		if err == nil || !strings.HasPrefix(err.Error(), "f:") ||
			!strings.Contains(strings.ReplaceAll(err.Error(), "expected packed steps: expected",
				"packed steps: expected"), tt.want) &&
				!strings.Contains(err.Error(),
					strings.ReplaceAll(tt.want, "packed steps: expected", "packed steps:")) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func deflated(data []byte) []byte {
	k := newPacker()
	k.w.Write(data)
	k.w.Close()
	return k.buf.Bytes()
}

func inflated(lines []byte) []byte {
	data, _ := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(lines), "\n", ""))
	plain, err := inflate(data)
	if err != nil {
		panic(err)
	}
	return plain
}

// FuzzPacked parses arbitrary packed steps: the result is an error, or steps that survive another
// round.
func FuzzPacked(f *testing.F) {
	for _, s := range schedules() {
		s = s[:300]
		f.Add(inflated(pack(s, transfer().Places)), len(s))
	}
	f.Fuzz(func(t *testing.T, plain []byte, n int) {
		text := func(lines []byte, n int) []byte {
			return fmt.Appendf(nil, "heddle clip v2\ntest T\nsteps packed\n%send %d\n", lines, n)
		}
		a, err := parse("", text(lines(deflated(plain)), n), 1000)
		if err != nil {
			return
		}
		b, err := parse("", text(pack(a.Steps, a.Places), len(a.Steps)), 1000)
		if err != nil {
			t.Fatalf("%v\nfrom %q", err, plain)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%+v\nbecame\n%+v", a, b)
		}
	})
}
