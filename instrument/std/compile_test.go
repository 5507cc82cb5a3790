package std

import "testing"

// The patched packages compile, and a program behaves as before.
func TestCompile(t *testing.T) {
	out, err := goTool(t, module(t, "plain"), "run", "-overlay", layOverlay(t), ".")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
