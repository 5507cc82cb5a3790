package plainwords

import (
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	command = regexp.MustCompile(`go (run|test) \.|heddle (test|compare|replay)`)
	commit  = regexp.MustCompile(`\b[0-9a-f]{7,10}\b`)
	row     = regexp.MustCompile(`(?m)^\| \*\*.*\| ([0-9a-f]{7,10}) \| \|$`) // of compatibility.md
)

// TestResults: each page of results names the command that made it and a commit of this history (a
// clone has no other), and so does each module of the table of compatibility.
func TestResults(t *testing.T) {
	out, err := exec.Command("git", "-C", top, "rev-parse", "--is-shallow-repository").Output()
	if err != nil || strings.TrimSpace(string(out)) != "false" {
		t.Skip("git has not all commits: ", err)
	}
	there := make(map[string]bool)
	knows := func(hash string) bool {
		if _, asked := there[hash]; !asked {
			ask := exec.Command("git", "-C", top, "merge-base", "--is-ancestor", hash, "HEAD")
			there[hash] = ask.Run() == nil
		}
		return there[hash]
	}
	for page := range known(t) {
		if path.Dir(page) != "docs/results" || path.Ext(page) != ".md" {
			continue
		}
		text := read(t, page)
		if !command.MatchString(text) {
			t.Errorf("%s names no command that made it", page)
		}
		named := false
		for _, hash := range commit.FindAllString(text, -1) {
			named = named || knows(hash)
		}
		if !named {
			t.Errorf("%s names no commit of this history", page)
		}
		for _, m := range row.FindAllStringSubmatch(text, -1) {
			if !knows(m[1]) {
				t.Errorf("%s: %s is no commit of this history", page, m[1])
			}
		}
	}
}
