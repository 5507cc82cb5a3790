package std

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What heddleParseFloat reads is what strconv.ParseFloat reads, for texts of all kinds.
func TestParseFloat(t *testing.T) {
	dir := t.TempDir()
	text := strings.ReplaceAll(string(embedded("strconv.go.txt")()), "package strconv", "package main")
	text = strings.ReplaceAll(text, `import "internal/strconv"`, "import (\n\"strconv\"\n\"os\"\n\"fmt\"\n\"bufio\"\n\"math\"\n\"errors\"\n)\nconst IntSize = strconv.IntSize\n")
	text += `
func main() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		s, err := strconv.Unquote(in.Text())
		if err != nil {
			panic(err)
		}
		for _, bits := range []int{32, 64} {
			x, err := heddleParseFloat(s, bits)
			y, want := strconv.ParseFloat(s, bits)
			if math.Float64bits(x) != math.Float64bits(y) || (err == nil) != (want == nil) ||
				want != nil && !errors.Is(err, errors.Unwrap(want)) {
				fmt.Printf("%q of %d bits: %v %v, want %v %v\n", s, bits, x, err, y, want)
			}
		}
	}
}
`
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var in strings.Builder
	for range 20000 {
		s := ""
		switch r.IntN(4) {
		case 0:
			for range r.IntN(8) {
				s += string("0123456789.+-eExX_infaINF p,"[r.IntN(28)])
			}
		case 1:
			s = strconv.FormatFloat(math.Float64frombits(r.Uint64()), "efg"[r.IntN(3)], r.IntN(20)-1, 64)
		case 2:
			s = strconv.FormatFloat(float64(r.IntN(1e9))/1e4, 'f', r.IntN(7)-1, 64)
		case 3:
			s = strconv.Itoa(r.IntN(1e9)>>r.IntN(30)) + "e" + strconv.Itoa(r.IntN(60)-30)
		}
		in.WriteString(strconv.Quote(s) + "\n")
	}
	cmd := exec.Command("go", "run", "main.go")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
