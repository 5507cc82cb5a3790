// A Minimap shows the whole timeline beside its scroller: a dot for each step in the column of its
// goroutine, steps of the finding in red, and a lens over what is in view. It is there when the
// timeline is longer than the window.
class Minimap {
	constructor(timeline) {
		this.t = timeline;
		this.box = $(".minimap", timeline.root);
		this.canvas = $("canvas", this.box);
		this.lens = $(".lens", this.box);
		const to = ev => {
			const r = this.box.getBoundingClientRect(), s = timeline.scroller;
			s.scrollTop = (ev.clientY - r.top) / r.height * s.scrollHeight - s.clientHeight / 2;
		};
		this.box.onpointerdown = ev => { this.box.setPointerCapture(ev.pointerId); to(ev); };
		this.box.onpointermove = ev => { if (ev.buttons) to(ev); };
	}

	draw() {
		const t = this.t, s = t.scroller;
		this.box.hidden = s.scrollHeight < 1.5 * s.clientHeight;
		if (this.box.hidden) return;
		const w = this.box.clientWidth, h = s.clientHeight, sharp = devicePixelRatio || 1;
		this.canvas.width = w * sharp;
		this.canvas.height = h * sharp;
		this.canvas.style.height = h + "px";
		const c = this.canvas.getContext("2d"), n = t.rows.length || 1, css = getComputedStyle(this.box);
		c.scale(sharp, sharp);
		const step = (w - 14) / t.goroutines.length, high = Math.max(1, Math.min(4, h / n));
		const hues = t.goroutines.map((_, i) => colour(i));
		t.rows.forEach((r, i) => {
			if (!r.e) return;
			c.fillStyle = hues[r.e.g];
			c.fillRect(10 + r.e.g * step, i / n * h, Math.max(step - 1, 1), high);
		});
		const ticks = (colour, x, wide, ok) => {
			c.fillStyle = colour;
			t.rows.forEach((r, i) => { if (r.e && ok(r.e)) c.fillRect(x, i / n * h - 1, wide, Math.max(high, 2)); });
		};
		ticks(css.getPropertyValue("--warn"), 2, 5, e => e.s);
		ticks(css.getPropertyValue("--bad"), 0, w, e => e.m);
	}

	// follow puts the lens where the scroller is.
	follow() {
		if (this.box.hidden) return;
		const s = this.t.scroller, share = s.clientHeight / s.scrollHeight;
		this.lens.style.top = s.scrollTop * share + "px";
		this.lens.style.height = Math.max(s.clientHeight * share, 8) + "px";
	}
}
