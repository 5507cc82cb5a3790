package timeline

import (
	"fmt"
	"testing"
)

// TestMeasure prints the size of a page, how long it takes to open, and what a frame takes while it
// is scrolled: by a wheel, and by jumps over a 60th of it, as with the minimap. It asserts nothing
// of times; run it with -v.
func TestMeasure(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("prints times; run it with -v")
	}
	for _, n := range []int{50, 5000, 50000} {
		f := long(n)
		p := open(t, f)
		var opened float64
		do(t, p.Eval(`(() => { const t = performance.getEntriesByType("navigation")[0];
			return t.loadEventStart - t.startTime; })()`, &opened))
		do(t, p.Key("a"))
		frame := func(by string) (median float64) {
			do(t, p.Eval(fmt.Sprintf(`(async () => {
				const s = document.querySelector(".scroller"), times = [], by = %s;
				s.scrollTop = 0;
				for (let i = 0, last = performance.now(); i < 60; i++) {
					s.scrollTop += by;
					await new Promise(r => requestAnimationFrame(r));
					const now = performance.now();
					times.push(now - last);
					last = now;
				}
				return times.sort((a, b) => a - b)[30]; })()`, by), &median))
			return median
		}
		fmt.Printf("%6d steps: %5d KB, opens in %.0f ms, a frame of scrolling %.1f ms, of jumping %.1f ms\n",
			n, len(page(t, f))>>10, opened, frame("120"), frame("s.scrollHeight / 60"))
	}
}
