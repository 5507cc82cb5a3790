package std

import (
	"strings"
	"testing"
)

func TestReleases(t *testing.T) {
	for _, c := range []struct{ version, want string }{
		{"go1.26.0", ""}, {"go1.26.11", ""}, {"go1.27.4", ""}, {"go1.27rc1", ""}, {"go1.27.1 X:nodwarf5", ""},
		{"go1.25.9", "the Go here is go1.25.9, which is too old for heddle: it knows go1.26 and go1.27; with GOTOOLCHAIN=go1.27.0 the go command fetches and uses that one"},
		{"go1.99.1", "the Go here is go1.99.1, which is newer than this heddle: it knows go1.26 and go1.27; get a newer heddle, or: with GOTOOLCHAIN=go1.27.0 the go command fetches and uses that one"},
		{"devel", "the Go here is devel, which is no release of Go: it knows go1.26 and go1.27; with GOTOOLCHAIN=go1.27.0 the go command fetches and uses that one"},
	} {
		got := ""
		if err := Supported(c.version); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("Supported(%q):\n got %s\nwant %s", c.version, got, c.want)
		}
	}
	if err := Readable("go1.27.0", "go1.26.3"); err != nil {
		t.Error(err)
	}
	if err := Readable("go1.26.8", "go1.27.1"); err == nil ||
		!strings.Contains(err.Error(), "GOTOOLCHAIN=go1.27.1 go install ./cmd/heddle") {
		t.Error(err)
	}
}

// An edit applies to the releases that it names, and an optional one that does not fit is
// reported.
func TestEditReleases(t *testing.T) {
	f := file{edits: append(append(until("go1.26", replace("a", "b")), since("go1.27", replace("x", "y"))...),
		optional("speed", replace("gone", "z")))}
	for release, want := range map[string]string{"go1.26": "b x", "go1.27": "a y", "go1.28": "a y"} {
		got, lost, err := f.apply("a x", "p", release)
		if err != nil || got != want || len(lost) != 1 || lost[0].lost != "speed" {
			t.Errorf("%s: %q, %v, %v; want %q and speed lost", release, got, lost, err, want)
		}
	}
	if _, _, err := f.apply("b x", "p", "go1.26"); err == nil {
		t.Error("an edit of this release does not fit, and there is no error")
	}
}
