package instrument

import (
	"bytes"
	"sync"
	"testing"
	"time"
)

// TestConcurrent rewrites many packages with one importer from several goroutines. The output must
// not depend on their order.
func TestConcurrent(t *testing.T) {
	inputs := load(t, ".", "net/http", "encoding/json", "text/template")
	first := map[string]*Output{}
	for _, workers := range []int{1, 3} {
		start := time.Now()
		im := NewImporter(inputs)
		work := make(chan *Input)
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for in := range work {
					out, err := Rewrite(in, im)
					if err != nil {
						t.Error(err)
						continue
					}
					mu.Lock()
					old := first[in.ImportPath]
					first[in.ImportPath] = out
					mu.Unlock()
					if old == nil {
						continue
					}
					for path, text := range out.Files {
						if !bytes.Equal(text, old.Files[path]) {
							t.Errorf("%s: two results", path)
						}
					}
				}
			}()
		}
		for i, in := range inputs {
			if workers > 1 {
				in = inputs[len(inputs)-1-i] // importers come first
			}
			if !below(in.ImportPath) {
				in.Mode.Memory = true
				work <- in
			}
		}
		close(work)
		wg.Wait()
		t.Logf("%d packages by %d workers in %v", len(inputs), workers, time.Since(start))
	}
}
