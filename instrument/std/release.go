package std

import (
	"fmt"
	"go/version"
	"slices"
	"strings"
)

// Releases are the releases of Go whose standard library heddle can patch, oldest first.
var Releases = []string{"go1.26", "go1.27"}

// Supported returns an error that says what to do if goVersion, a GOVERSION such as "go1.26.8", is
// of no known release.
func Supported(goVersion string) error {
	lang := langOf(goVersion)
	if slices.Contains(Releases, lang) {
		return nil
	}
	what := "is newer than this heddle"
	switch {
	case lang == "":
		what = "is no release of Go"
	case version.Compare(lang, Releases[0]) < 0:
		what = "is too old for heddle"
	}
	return fmt.Errorf("the Go here is %s, which %s: it knows %s; %s", goVersion, what,
		strings.Join(Releases, " and "), TryAnother(goVersion))
}

// Readable returns an error that says what to do if heddle was built with a release, builtWith,
// that does not know the language of the later release goVersion: its standard library is written
// in that language.
func Readable(builtWith, goVersion string) error {
	mine, its := langOf(builtWith), langOf(goVersion)
	if mine == "" || version.Compare(mine, its) >= 0 {
		return nil
	}
	return fmt.Errorf("the Go here is %s, and this heddle was built with %s, which does not know the language of %s: build heddle with that, in a clone of it GOTOOLCHAIN=%s go install ./cmd/heddle (one built with the later release works for the earlier ones too); or test with GOTOOLCHAIN=%s.0", goVersion, builtWith, its, goVersion, mine)
}

// TryAnother returns how to test with another release than goVersion.
func TryAnother(goVersion string) string {
	other := Releases[len(Releases)-1]
	if lang := langOf(goVersion); lang == other && len(Releases) > 1 {
		other = Releases[len(Releases)-2]
	}
	advice := fmt.Sprintf("with GOTOOLCHAIN=%s.0 the go command fetches and uses that one", other)
	if version.Compare(langOf(goVersion), Releases[len(Releases)-1]) > 0 {
		advice = "get a newer heddle, or: " + advice
	}
	return advice
}

// mayBeLeft are packages of the standard library that are left alone if the rewriter fails on
// them, and what is lost then. For any other package the failure is an error.
var mayBeLeft = map[string]string{}

// Lost returns what is lost if a package is left alone, or "" if it must not be left alone.
func Lost(importPath string) string { return mayBeLeft[importPath] }

// langOf returns the release of a version of Go such as "go1.26.8", with or without an addition
// from GOEXPERIMENT; "" if it is not a version.
func langOf(goVersion string) string {
	first, _, _ := strings.Cut(goVersion, " ")
	return version.Lang(first)
}
