package timeline

import (
	"bytes"
	"strings"
	"testing"
)

// The largest value of a column has the longest bar, the smallest a visible one, and a missing
// value none.
func TestCompared(t *testing.T) {
	row := func(name string, a, b float64) ComparedRow {
		return ComparedRow{Strategy: name, Amounts: []Amount{{a, "a"}, {b, "<b>"}}}
	}
	c := Compared{Test: "TestX", Columns: []string{"one", "two"},
		Rows: []ComparedRow{row("x", 1, -1), row("y", 8, 3), row("z", 2, 0)}}
	var got []int
	for _, r := range c.Rows {
		for _, b := range c.Bars(r) {
			got = append(got, b.Percent)
		}
	}
	for i, want := range []int{25, 0, 100, 100, 50, 0} {
		if got[i] != want {
			t.Errorf("bar %d is %d%% long, want %d", i, got[i], want)
		}
	}
	var b bytes.Buffer
	if err := WriteCompared(&b, []Compared{c, {Test: "TestY", Note: "nothing"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"&lt;b&gt;<i style=\"width: 100%\"></i>", "TestY",
		`<p class="dim">nothing</p>`, "<th>two</th>"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
