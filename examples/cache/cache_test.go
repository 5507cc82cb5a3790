// heddle finds: data race
package cache

import (
	"sync/atomic"
	"testing"
)

func TestLoadOnce(t *testing.T) {
	var loads atomic.Int32
	p := New(func() map[string]int {
		loads.Add(1)
		return map[string]int{"yarn": 3, "loom": 900}
	})
	yarn := make(chan int)
	go func() {
		n, _ := p.Of("yarn")
		yarn <- n
	}()
	if n, ok := p.Of("loom"); n != 900 || !ok {
		t.Errorf("loom: %d, %t", n, ok)
	}
	if n := <-yarn; n != 3 {
		t.Errorf("yarn: %d", n)
	}
	if n := loads.Load(); n != 1 {
		t.Errorf("loaded %d times", n)
	}
}
