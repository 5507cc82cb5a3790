package std

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMatchRune compares HeddleMatchRune with the original, on instructions of all forms.
func TestMatchRune(t *testing.T) {
	text := string(embedded("syntax.go.txt")())
	text = strings.Replace(text, "package syntax\n", "package main\n", 1)
	text = strings.Replace(text, `import "unicode"`, `import ("unicode"; "fmt"; . "regexp/syntax")`, 1)
	text += `
func main() {
	n := 0
	for _, pattern := range []string{"a", "(?i)k", "(?i)ß", "[a-c]", "[a-cx-z]", "[acegi]", "[acegikmoqs]", "[^acegikmoqs]", "(?i)[kxs]", ".", "(?s).", "\\pL", "[[:^alpha:]]", "é", "[\\x{10000}-\\x{10ffff}]"} {
		x, err := Parse(pattern, Perl)
		if err != nil {
			panic(err)
		}
		p, err := Compile(x.Simplify())
		if err != nil {
			panic(err)
		}
		for k := range p.Inst {
			i := &p.Inst[k]
			if i.Op != InstRune && i.Op != InstRune1 {
				continue
			}
			for r := rune(-1); r < 0x20000; r++ {
				n++
				if HeddleMatchRune(i, r) != i.MatchRune(r) || HeddleMatchRunePos(i, r) != i.MatchRunePos(r) {
					panic(fmt.Sprint(pattern, r))
				}
			}
		}
	}
	if n < 1e6 {
		panic(n)
	}
}
`
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "run", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
