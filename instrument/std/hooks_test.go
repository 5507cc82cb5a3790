package std

import "testing"

// testdata/hooks checks, under a stub scheduler, what each patched operation
// asks for and from where, and that the packages behave as before outside control.
func TestHooks(t *testing.T) {
	out, err := laid(t, false).Go(t, module(t, "hooks"), "run", ".")
	if err != nil || out != "ok\n" {
		t.Fatalf("%v\n%s", err, out)
	}
}

// testdata/plain is a package of tests: as go test runs it, and as heddlert/drive does.
func TestTesting(t *testing.T) {
	dir := module(t, "plain")
	if out, err := laid(t, true).Go(t, dir, "test", "-c", "-vet=off", "-o", "m.test", "."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, test := range testingTests {
		t.Run(test.name, func(t *testing.T) { test.run(t, dir) })
	}
}
