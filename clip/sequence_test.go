package clip

import (
	"reflect"
	"strings"
	"testing"

	"heddle/rt/wire"
)

const sequence = `heddle sequence v1
# what the specification says
test     TestTransfer
package  example.com/bank   # its path
steps
main/1   lock      bank.go:20
main/2/3 trylock              # fails
main/1   send      with main/2
`

func TestParseSequence(t *testing.T) {
	f, err := ParseSequence("s", []byte(sequence))
	if err != nil {
		t.Fatal(err)
	}
	want := wire.Steps{
		{G: "main/1", Op: "lock", Choice: -1, Where: wire.Place{File: "bank.go", Line: 20}, Row: 6},
		{G: "main/2/3", Op: "trylock", Choice: -1, Row: 7},
		{G: "main/1", Op: "send", Choice: -1, With: "main/2", Row: 8},
	}
	if f.Test != "TestTransfer" || f.Package != "example.com/bank" || !f.Sequence ||
		!reflect.DeepEqual(f.Steps, want) {
		t.Errorf("%+v", f)
	}
}

func TestSequenceErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"sequence v1", "sequence v2", `s:1: expected "heddle sequence v1", found "heddle sequence v2"`},
		{"test     TestTransfer\n", "", `s:4: expected a line that names the test before the steps, found none`},
		{"package ", "pakage ", `s:4: expected test NAME, package PATH or steps, found "pakage  example.com/bank   # its path"`},
		{"package  example.com/bank", "test x",
			`s:4: expected test once (it stands in line 3), found it again`},
		{"main/1   lock", "main/0   lock",
			`s:6: expected a goroutine such as main or main/2, found "main/0"`},
		{"main/1   lock ", "main/1   lokc ", `s:6: expected an operation such as lock, send or wg-wait, found "lokc"`},
		{"main/1   lock ", "main/1   choose ", `s:6: expected an operation such as lock, send or wg-wait, found "choose"`},
		{"bank.go:20", "bank.go:0", `s:6: expected a position such as bank.go:20, found "bank.go:0"`},
		{"bank.go:20", "bank.go", `s:6: expected a position such as bank.go:20, or "with" and a goroutine, found "bank.go"`},
		{"with main/2", "with", `s:8: expected a position such as bank.go:20, or "with" and a goroutine, found "with"`},
		{sequence[strings.Index(sequence, "main/1"):], "", `s:6: expected a step, such as "main/1 lock", found the end of the file`},
	} {
		in := strings.Replace(sequence, c.old, c.new, 1)
		if _, err := ParseSequence("s", []byte(in)); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func FuzzParseSequence(f *testing.F) {
	f.Add([]byte(sequence))
	f.Add([]byte("heddle sequence v1\ntest T\nsteps\nmain recv a:b:7 with timers/1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ParseSequence("", data)
		if err != nil {
			return
		}
		b, err := ParseSequence("", a.FormatSequence())
		if err != nil {
			t.Fatalf("%v\nfrom\n%s\nformatted\n%s", err, data, a.FormatSequence())
		}
		for i := range a.Steps {
			a.Steps[i].Row, b.Steps[i].Row = 0, 0
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%+v\nbecame\n%+v", a, b)
		}
	})
}
