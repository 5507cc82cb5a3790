package build

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"heddle/trace"
)

// These tests cover the concurrent parts of the build. .ci/run explores them with heddle itself
// and runs them under the race detector.

func TestConcurrentParallel(t *testing.T) {
	for fails := range 4 { // 3: none fails
		var mu sync.Mutex
		var done [3]int
		bad := errors.New("bad")
		err := parallel(3, func(i int) error {
			mu.Lock()
			defer mu.Unlock()
			done[i]++
			if i == fails {
				return bad
			}
			return nil
		})
		if want := fails < 3; (err == bad) != want {
			t.Errorf("call %d fails: %v", fails, err)
		}
		if done != [3]int{1, 1, 1} {
			t.Errorf("call %d fails: calls were made %v times", fails, done)
		}
	}
}

func TestConcurrentSites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(file, sampleTable.encode(), 0o666); err != nil {
		t.Fatal(err)
	}
	s := &Sites{tables: map[uint64]*table{}, byDir: map[string][]*table{}}
	s.add("p", "/m", file)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			row, ok := s.Lookup(trace.NewSite(trace.PackageHash("p"), i, trace.KindInt, false))
			if !ok || row != sampleTable.sites[i] {
				t.Errorf("site %d: %+v, %v", i, row, ok)
			}
			if got := s.Object("/m/a.go", 9, "lock"); got != "s.mu" {
				t.Errorf("the object of the call is %q", got)
			}
		})
	}
	wg.Wait()
}

// Of several builds that make the same entry one puts it in place, and all find it complete.
func TestConcurrentCache(t *testing.T) {
	c, err := openCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			if err := c.putDir("unit", "abcdef", func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "text"), fmt.Appendf(nil, "of %d", i), 0o666)
			}); err != nil {
				t.Error(err)
			}
			data, err := os.ReadFile(filepath.Join(c.entry("unit", "abcdef"), "text"))
			if err != nil || string(data) != "of 0" && string(data) != "of 1" {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
	wg.Wait()
}
