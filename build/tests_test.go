package build

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The names are those that go test -list prints.
func TestTestNames(t *testing.T) {
	dir := module(t, "go.mod", "module m\ngo 1.26\n", "a_test.go", `package m

import (
	"fmt"
	"testing"
	tt "testing"
)

type T = testing.T

func TestA(t *testing.T)      {}
func TestB(t *tt.T)           {}
func Test(*T)                 {}
func Test_c(*testing.T)       {}
func TestÄ(*testing.T)        {}
func Testify(t *testing.T)    {}
func testB(t *testing.T)      {}
func FuzzA(f *testing.F)      {}
func BenchmarkA(*testing.B)   {}
func TestMain(m *testing.M)   { m.Run() }
func (x holder) TestOf(*testing.T) {}

type holder struct{}

func Example() {
	fmt.Println()
	// Output:
}

func ExampleT() {
	fmt.Println("x")
	// Unordered output: x
}

func ExampleT_none() {}
`, "x_test.go", "package m_test\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n")
	cmd := exec.Command("go", "test", "-vet=off", "-list", "^(Test|Fuzz|Example)", ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "ok") {
			want = append(want, line)
		}
	}
	slices.Sort(want)
	got := testNames(&listed{Dir: dir, TestGoFiles: []string{"a_test.go"},
		XTestGoFiles: []string{"x_test.go"}})
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
