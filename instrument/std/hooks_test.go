package std

import "testing"

// testdata/hooks checks with a stub scheduler what each patched operation announces and from which
// position, and that the packages behave as before outside control.
func TestHooks(t *testing.T) {
	out, err := laid(t, false).Go(t, module(t, "hooks"), "run", ".")
	if err != nil || out != "ok\n" {
		t.Fatalf("%v\n%s", err, out)
	}
}

// testdata/plain is a package of tests, run as by go test and as by heddlert/drive.
func TestTesting(t *testing.T) {
	dir := module(t, "plain")
	if out, err := laid(t, true).Go(t, dir, "test", "-c", "-vet=off", "-o", "m.test", "."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, test := range testingTests {
		t.Run(test.name, func(t *testing.T) { test.run(t, dir) })
	}
}
