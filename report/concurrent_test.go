package report

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"heddle/rt/wire"
)

// Packages are tested concurrently and reported one after the other. .ci/run explores this test
// with heddle itself and runs it under the race detector.
func TestConcurrentPackages(t *testing.T) {
	var out bytes.Buffer
	r := New(options(&out))
	names := []string{"ex.com/a", "ex.com/b"}
	var wg sync.WaitGroup
	for i, name := range names {
		p := r.Package(name)
		wg.Go(func() {
			p.Record(&wire.Record{Type: "begin", Test: "TestX"})
			if i == 1 {
				p.Finding("TestX", &wire.Finding{Kind: "data race", Places: []wire.Place{at(20), at(21)}}, "")
			}
			p.Record(&wire.Record{Type: "end", Test: "TestX", Executions: 10 + i, Result: "pass"})
			p.Record(&wire.Record{Type: "done"})
			p.End(time.Second, nil)
		})
	}
	wg.Wait()
	if code := r.Close(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	last := -1
	for i, name := range names {
		for _, text := range []string{fmt.Sprintf("%d executions", 10+i), "\t" + name + "\t"} {
			n := bytes.Count(out.Bytes(), []byte(text))
			if at := bytes.Index(out.Bytes(), []byte(text)); n != 1 || at < last {
				t.Errorf("%q comes %d times, at %d after %d:\n%s", text, n, at, last, &out)
			} else {
				last = at
			}
		}
	}
}
