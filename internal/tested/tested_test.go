package tested

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

type entry struct{ Text string }

// An entry is found under its key and sum, and nowhere else; another sum is another entry.
func TestStore(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	one, _ := Hash("one")
	two, _ := Hash("two")
	if _, ok := s.Inputs(one); ok {
		t.Fatal("an empty store knows a key")
	}
	for _, sum := range []string{"a", "b"} {
		if err := s.Keep(one, []string{"eHOME"}, sum, entry{sum}); err != nil {
			t.Fatal(err)
		}
	}
	inputs, ok := s.Inputs(one)
	if !ok || len(inputs) != 1 || inputs[0] != "eHOME" {
		t.Errorf("inputs %q, %v", inputs, ok)
	}
	for _, c := range []struct {
		key, sum, want string
	}{{one, "a", "a"}, {one, "b", "b"}, {one, "c", ""}, {two, "a", ""}} {
		var e entry
		if ok := s.Entry(c.key, c.sum, &e); ok != (c.want != "") || e.Text != c.want {
			t.Errorf("%s %s: %v %q, want %q", c.key[:4], c.sum, ok, e.Text, c.want)
		}
	}
}

// A file that is damaged in any byte, cut short or moved to another name is as if it were not
// there.
func TestDamaged(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	key, _ := Hash("one")
	if err := s.Keep(key, nil, "sum", entry{"covered"}); err != nil {
		t.Fatal(err)
	}
	file := s.file(entryKey(key, "sum"))
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	read := func(data []byte) bool {
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		var e entry
		return s.Entry(key, "sum", &e)
	}
	if !read(good) {
		t.Fatal("the entry is not found")
	}
	for i := range good {
		bad := append([]byte(nil), good...)
		bad[i] ^= 1
		if read(bad) || read(good[:i]) {
			t.Errorf("damaged at byte %d, and read", i)
		}
	}
	other := s.file(entryKey(key, "other"))
	os.MkdirAll(filepath.Dir(other), 0o777)
	if err := os.WriteFile(other, good, 0o666); err != nil {
		t.Fatal(err)
	}
	var e entry
	if s.Entry(key, "other", &e) {
		t.Error("an entry is read under another name")
	}
}

// Processes that write the same keys at once leave whole entries, and no other files.
func TestConcurrent(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	key, _ := Hash("one")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 50 {
				text := strings.Repeat("x", n*100)
				if err := s.Keep(key, []string{fmt.Sprint("f", i)}, "sum", entry{text}); err != nil {
					t.Error(err)
				}
				var e entry
				if _, ok := s.Inputs(key); !ok || !s.Entry(key, "sum", &e) {
					t.Error("half an entry")
				}
			}
		})
	}
	wg.Wait()
	if left, _ := filepath.Glob(filepath.Join(s.Dir, Folder, "*", ".tmp-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// The sum of inputs changes with each change that a program can see, and with no other.
func TestSum(t *testing.T) {
	dir := t.TempDir()
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(name, text string, at time.Time) {
		t.Helper()
		name = filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(name), 0o777)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(name, at, at)
		os.Chtimes(filepath.Dir(name), old, old)
	}
	write("data/in", "in", old)
	write("data/aside", "x", old)
	p := Place{Dir: dir, Env: []string{"A=1", "B=2", "A=3"}}
	inputs := []string{"eA", "eNONE", "fdata", "fdata/in", "fmissing", "f" + os.DevNull}
	sum := func() string {
		t.Helper()
		s, err := p.Sum(inputs, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	was := sum()
	differs := func(what string) {
		t.Helper()
		now := sum()
		if now == was {
			t.Errorf("%s: the same sum", what)
		}
		was = now
	}
	same := func(what string) {
		t.Helper()
		if sum() != was {
			t.Errorf("%s: another sum", what)
		}
	}
	p.Env[1] = "B=9"
	same("a variable that is no input")
	p.Env[0] = "A=9"
	same("a variable that a later one overrides")
	write("data/aside", "yy", old)
	same("the content of a file that is only listed")
	inputs[0], inputs[1] = inputs[1], inputs[0]
	same("another order")
	p.Env[2] = "A=4"
	differs("a variable")
	p.Env = append(p.Env, "NONE=")
	differs("a variable that is set now, and empty")
	write("data/in", "IN", old)
	differs("content of the same size and time")
	write("data/in", "IN", old.Add(time.Hour))
	differs("a time")
	os.Chmod(filepath.Join(dir, "data/in"), 0o600)
	differs("a mode")
	write("data/more", "", old)
	differs("a file more in a folder")
	write("missing", "", old)
	differs("a file that was missing")
	os.Remove(filepath.Join(dir, "missing"))
	os.Symlink("data/in", filepath.Join(dir, "missing"))
	differs("a link in the place of a file")
	write("data/in", "through the link", old)
	differs("what a link leads to")
	inputs = append(inputs, "e*")
	differs("all variables")
	p.Env = append(p.Env, "NEW=1")
	differs("one of all variables")
}

// What may be another each time, or may have changed while it was read, has no sum.
func TestUnsure(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "in")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	p := Place{Dir: dir}
	begun := time.Now()
	for _, in := range []string{"f/proc/self/stat", "f/dev/random", "f/sys", "x", "fin"} {
		if _, err := p.Sum([]string{in}, begun); err == nil {
			t.Errorf("%s has a sum", in)
		}
	}
	old := begun.Add(-time.Minute)
	os.Chtimes(file, old, old)
	if _, err := p.Sum([]string{"fin"}, begun); err != nil {
		t.Error(err)
	}
}
