package timeline

import (
	"fmt"
	"testing"
)

// TestMeasure prints the size of a page, how long it takes to open, and what a frame takes while
// it is scrolled. It asserts nothing of times; run it with -v.
func TestMeasure(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("prints times; run it with -v")
	}
	for _, n := range []int{50, 5000, 50000} {
		f := long(n)
		p := open(t, f)
		size := len(page(t, f))
		var opened, frame, worst float64
		do(t, p.Eval(`(() => { const t = performance.getEntriesByType("navigation")[0]; return t.loadEventStart - t.startTime; })()`, &opened))
		do(t, p.Key("a"))
		js := `(async () => { const s = document.querySelector(".scroller"), times = []; let last = performance.now();
			for (let i = 0; i < 60; i++) { s.scrollTop += 120; await new Promise(r => requestAnimationFrame(r)); const now = performance.now(); times.push(now - last); last = now; }
			times.sort((a, b) => a - b); return [times[30], times[59]]; })()`
		var times []float64
		do(t, p.Eval(js, &times))
		frame, worst = times[0], times[1]
		fmt.Printf("%6d steps: %5d KB, opens in %.0f ms, a frame of scrolling %.1f ms (worst %.0f ms)\n",
			n, size>>10, opened, frame, worst)
	}
}
