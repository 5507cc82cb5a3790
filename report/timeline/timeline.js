// The timeline of a finding. Only the rows in view are in the document: an
// execution of many thousand steps scrolls as well as one of ten.
const ROWS = [30, 20, 10, 4], END = 30, HEAD = 44, GUTTER = 66, CHAR = 7.3, FOLDED = 30;
const SMALL = 16; // rows that are lower have no text
const LEAST = 84; // width of a column
const BOXED = 60; // characters of a value in a box

class Timeline {
	constructor(root) {
		this.root = root;
		Object.assign(this, JSON.parse($(".data", root).textContent)); // see type data in page.go
		this.events ||= []; this.arrows ||= []; this.objects ||= []; this.files ||= []; this.stacks ||= [];
		this.events.forEach((e, i) => e.i = i);
		this.scroller = $(".scroller", root);
		this.canvas = $(".canvas", root);
		this.h = ROWS[0];
		this.heads = $(".heads", root);
		this.shown = new Set(); // shown whatever the filters say
		this.folded = new Set();
		this.object = 0;
		this.find = "";
		this.quiet = false;
		const some = this.events.some(e => e.k), all = this.events.every(e => e.k || e.q);
		this.key = some && !all && this.events.length > 40;
		this.sel = -1;
		this.learn();
		this.tools();
		this.map = new Minimap(this);
		const marked = this.events.filter(e => e.m);
		if (this.goroutines.length > 8)
			this.goroutines.forEach((g, i) => { if (!g.bad && !this.events.some(e => e.g === i && (e.k || e.m))) this.folded.add(i); });
		this.filter();
		this.select(marked.length ? marked[marked.length - 1].i : this.lastSeen(), true);
	}

	// learn prepares what is asked again and again.
	learn() {
		this.into = new Map();
		this.outof = new Map();
		const put = (m, k, a) => m.has(k) ? m.get(k).push(a) : m.set(k, [a]);
		for (const a of this.arrows) { put(this.outof, a[0], a); put(this.into, a[1], a); }
		this.first = this.goroutines.map(() => -1);
		this.last = this.goroutines.map(() => -1);
		for (const e of this.events) {
			if (this.first[e.g] < 0) this.first[e.g] = e.i;
			this.last[e.g] = e.i;
		}
		this.uses = this.objects.map(() => 0);
		const by = this.objects.map(() => new Set());
		for (const e of this.events) if (e.o) { this.uses[e.o - 1]++; by[e.o - 1].add(e.g); }
		// An object has a colour if goroutines share it.
		this.hue = []; let n = 2;
		by.forEach((gs, i) => { if (gs.size > 1) this.hue[i] = n++; });
		this.locks = this.heldLocks();
		this.marks = [];
		for (const e of this.events) if (e.m) this.marks[e.m] = e.i;
	}

	// heldLocks returns from which event to which a goroutine holds a lock.
	heldLocks() {
		const open = new Map(), out = [];
		for (const e of this.events) {
			if (!e.o) continue;
			const k = e.g + ":" + e.o;
			if (/^(lock|rlock|trylock|tryrlock)$/.test(e.op) && !/\(fails\)/.test(e.t)) {
				const l = { g: e.g, o: e.o, from: e.i, to: -1 };
				open.has(k) ? open.get(k).push(l) : open.set(k, [l]);
				out.push(l);
			} else if (/^r?unlock$/.test(e.op)) {
				const l = (open.get(k) || []).pop() || out.find(l => l.o === e.o && l.to < 0);
				if (l) l.to = e.i;
			}
		}
		return out;
	}

	tools() {
		const list = $(".objects", this.root);
		this.objects.map((o, i) => [o, i]).filter(([, i]) => this.uses[i] > 1)
			.sort((a, b) => this.uses[b[1]] - this.uses[a[1]])
			.forEach(([o, i]) => {
				const opt = make("option", "", `${o.name} (${o.kind}, ${this.uses[i]})`);
				opt.value = i + 1;
				list.append(opt);
			});
		list.onchange = () => { this.object = +list.value; this.refilter(); };
		const quiet = $(".quiet", this.root);
		if (!this.events.some(e => e.q)) $(".quietlabel", this.root).hidden = true;
		quiet.onchange = () => { this.quiet = quiet.checked; this.refilter(); };
		const find = $(".find", this.root);
		find.oninput = () => { this.find = find.value.trim().toLowerCase(); this.refilter(); };
		$(".closer", this.root).onclick = () => this.zoom(-1);
		$(".farther", this.root).onclick = () => this.zoom(1);
		$(".only-key", this.root).onclick = () => { this.key = true; this.refilter(); };
		$(".all-steps", this.root).onclick = () => { this.key = false; this.refilter(); };
		const keys = this.events.filter(e => e.k).length;
		if (!keys || keys === this.events.length) $(".seg", this.root).hidden = true;
		this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
		new ResizeObserver(() => this.layout()).observe(this.scroller);
	}

	refilter() { this.shown.clear(); this.filter(); this.select(this.sel, true); }

	everything() {
		this.object = 0; this.find = ""; this.key = false; this.folded.clear();
		$(".objects", this.root).value = 0;
		$(".find", this.root).value = "";
		this.refilter();
	}

	matches(e) {
		const g = this.goroutines[e.g].name, f = e.f ? this.files[e.f - 1].Name : e.w || "";
		return (e.t + " " + (e.v || "") + " " + g + " " + f + ":" + (e.l || "")).toLowerCase().includes(this.find);
	}

	visible(e) {
		if (this.shown.has(e.i)) return true;
		if (this.find) return this.matches(e);
		if (this.object) return e.o === this.object || !!e.m;
		if (e.m) return true;
		if (this.key) return !!e.k;
		return !e.q || this.quiet;
	}

	// filter works out the rows: events, gaps between them, and what goroutines do at the end.
	filter() {
		this.rows = [];
		this.rowOf = new Int32Array(this.events.length).fill(-1);
		let gap = -1;
		const close = to => {
			if (gap < 0) return;
			const n = this.events.slice(gap, to).filter(e => !e.q || this.quiet).length;
			if (n) this.rows.push({ gap: [gap, to], n });
			gap = -1;
		};
		for (const e of this.events) {
			if (!this.visible(e)) { if (gap < 0) gap = e.i; continue; }
			close(e.i);
			this.rowOf[e.i] = this.rows.length;
			this.rows.push({ e });
		}
		close(this.events.length);
		this.ends = this.goroutines.map((g, i) => i).filter(i => this.goroutines[i].end);
		this.nearest();
		$(".only-key", this.root).classList.toggle("on", this.key);
		$(".all-steps", this.root).classList.toggle("on", !this.key);
		this.layout();
	}

	// nearest notes, for each event, the row of the next one that is shown, and of the one before.
	nearest() {
		const n = this.events.length;
		this.below = new Int32Array(n + 1).fill(-1);
		this.above = new Int32Array(n + 1).fill(-1);
		for (let i = n - 1; i >= 0; i--) this.below[i] = this.rowOf[i] >= 0 ? this.rowOf[i] : this.below[i + 1];
		for (let i = 0; i < n; i++) this.above[i] = this.rowOf[i] >= 0 ? this.rowOf[i] : i ? this.above[i - 1] : -1;
	}

	// zoom makes rows lower (by 1) or higher (by -1), around the selected one.
	zoom(by) {
		const k = ROWS.indexOf(this.h) + by;
		if (!ROWS[k]) return;
		const r = this.rowOf[this.sel], view = this.scroller.clientHeight - HEAD;
		const at = r >= 0 ? r : this.scroller.scrollTop / this.h;
		const off = Math.min(Math.max(at * this.h - this.scroller.scrollTop, 0), view - END);
		this.h = ROWS[k];
		$(".closer", this.root).disabled = k === 0;
		$(".farther", this.root).disabled = k === ROWS.length - 1;
		this.layout();
		this.scroller.scrollTop = at * this.h - off;
		this.render();
	}

	// bottom is where the rows end; what goroutines do at the end comes below, a line for each.
	bottom() { return this.rows.length * this.h; }
	height() { return this.bottom() + this.ends.length * END; }
	endY(g) { return this.bottom() + (this.ends.indexOf(g) + .5) * END; }

	// layout gives columns their places.
	layout() {
		const open = this.goroutines.length - this.folded.size;
		const room = this.scroller.clientWidth - GUTTER - this.folded.size * FOLDED - 8;
		const longest = this.goroutines.map(() => 90);
		for (const r of this.rows) if (r.e) longest[r.e.g] = Math.max(longest[r.e.g], this.width(r.e) + 34);
		this.goroutines.forEach((g, i) => longest[i] = Math.max(longest[i], g.name.length * 8 + 46));
		const last = this.goroutines.findLastIndex((g, i) => !this.folded.has(i));
		const wide = (i, most) => Math.min(longest[i], i === last ? Math.max(most, 230) : most);
		const sum = most => longest.reduce((s, w, i) => s + (this.folded.has(i) ? 0 : wide(i, most)), 0);
		let most = 360;
		// a box may reach over the columns on its right, since each row has one
		while (most > LEAST && sum(most) > room) most -= 5;
		const spare = open ? Math.max(0, room - sum(most)) / open : 0;
		let x = GUTTER;
		this.cols = this.goroutines.map((g, i) => {
			const w = this.folded.has(i) ? FOLDED : wide(i, most) + Math.min(spare, 120);
			const c = { x, w };
			x += w;
			return c;
		});
		this.total = Math.max(x, this.scroller.clientWidth);
		this.canvas.style.height = this.height() + 12 + "px";
		this.canvas.style.setProperty("--row", this.h + "px");
		this.canvas.classList.toggle("small", this.h < SMALL);
		this.canvas.style.width = this.heads.style.width = this.total + "px";
		this.heads.replaceChildren(...this.goroutines.map((g, i) => {
			const fold = this.folded.has(i);
			const h = make("button", "head", make("b", "", fold ? "" : g.name), fold ? "" : make("small", "", g.from || "\u00a0"));
			h.style.cssText = `left:${this.cols[i].x}px;width:${this.cols[i].w}px;--g:${colour(i)}`;
			h.title = `goroutine ${g.name}${g.from ? ", started at " + g.from : ""}\nclick to ${fold ? "unfold" : "fold"} its column`;
			h.onclick = () => { fold ? this.folded.delete(i) : this.folded.add(i); this.layout(); };
			return h;
		}));
		this.map.draw();
		this.render();
	}

	// width of an event's box.
	width(e) {
		return 20 + CHAR * (e.t.length + (e.v ? Math.min(e.v.length, BOXED) + 3 : 0)) + (e.m ? 22 : 0) + (e.o && this.hue[e.o - 1] ? 14 : 0);
	}
	dotX(g) { return this.cols[g].x + 13; }
	boxW(e) {
		if (this.h < SMALL) return Math.min(this.width(e), this.cols[e.g].w - 28);
		return Math.min(this.width(e), this.total - this.cols[e.g].x - 28, 420);
	}
	boxEnd(e) { return this.folded.has(e.g) ? this.dotX(e.g) + 5 : this.cols[e.g].x + 21 + this.boxW(e); }
	rowY(i) { return i * this.h + this.h / 2; }

	// view returns the rows in view, and some on each side.
	view(beside) {
		const height = this.scroller.clientHeight || 600;
		// rows that are gone may still be in the document, and hold the scroller where they were
		const top = Math.max(0, Math.min(this.scroller.scrollTop, this.height() + END - height + HEAD));
		return [Math.max(0, Math.floor(top / this.h) - beside), Math.min(this.rows.length, Math.ceil((top + height) / this.h) + beside)];
	}

	// scrolled puts further rows into the document when those that are there come to their end.
	scrolled() {
		const [from, to] = this.view(0);
		if (from < this.there[0] || to > this.there[1]) this.render();
		else this.map.follow();
	}

	render() {
		const [from, to] = this.there = this.view(24);
		const parts = [this.lines(from, to)];
		for (let i = from; i < to; i++) parts.push(this.row(i));
		if (to === this.rows.length) parts.push(...this.endRows());
		if (!this.rows.length) parts.push(make("p", "empty", "No step is like this. Esc shows everything again."));
		this.canvas.replaceChildren(...parts);
		this.map.follow();
	}

	// endRows show what goroutines do at the end.
	endRows() {
		return this.ends.filter(i => !this.folded.has(i)).map(i => {
			const g = this.goroutines[i], row = make("div", "row last"), b = make("div", "ev " + (g.bad ? "end" : "stay"), g.end);
			row.style.top = this.endY(i) - END / 2 + "px";
			b.style.cssText = `left:${this.cols[i].x + 21}px;max-width:${this.total - this.cols[i].x - 26}px`;
			b.dataset.tip = g.name + " " + g.end;
			row.append(b);
			return row;
		});
	}

	row(i) {
		const r = this.rows[i], y = i * this.h;
		if (r.gap) {
			const b = make("button", "gap", `⋯ ${r.n} ${r.n === 1 ? "step" : "steps"}`);
			b.title = "Show them";
			b.style.top = y + "px";
			b.onclick = () => {
				for (let j = r.gap[0]; j < r.gap[1]; j++) if (!this.events[j].q || this.quiet) this.shown.add(j);
				this.filter();
			};
			return b;
		}
		const row = make("div", "row");
		row.style.top = y + "px";
		const e = r.e;
		const every = this.h < SMALL ? Math.ceil(SMALL / this.h) : 1;
		if (every === 1 || i % every === 0) row.append(make("span", "num", String(e.n || "")));
		if (e.s) {
			const s = make("span", "swap", "⇄");
			s.dataset.tip = "heddle switched here: by itself, another goroutine would have gone on.";
			row.append(s);
		}
		if (e.i === this.sel) row.classList.add("sel");
		if (this.folded.has(e.g)) return row;
		const b = make("button", "ev");
		b.tabIndex = -1;
		b.dataset.i = e.i;
		if (e.m) { b.classList.add("bad"); b.append(make("span", "m", String(e.m))); }
		if (e.q) b.classList.add("quiet");
		if (e.i === this.sel) b.classList.add("on");
		if (this.find && this.matches(e)) b.classList.add("hitfind");
		let style = `left:${this.cols[e.g].x + 21}px;width:${this.boxW(e)}px;--g:${colour(e.g)}`;
		if (e.o && this.hue[e.o - 1]) { b.append(make("span", "dot")); style += `;--o:${colour(this.hue[e.o - 1])}`; }
		b.append(e.t);
		if (e.v) b.append(make("span", "v", " = " + cut(e.v, BOXED)));
		b.style.cssText = style;
		b.onclick = () => this.select(e.i);
		row.append(b);
		return row;
	}

	// lines draws what connects the rows from..to: lives, locks, arrows, switches.
	lines(from, to) {
		const y1 = from * this.h, y2 = to === this.rows.length ? this.height() : to * this.h;
		// no higher than what is in view: a picture of all rows takes long to paint
		const s = svg("svg", { width: this.total, height: Math.max(y2 - y1, 1), "aria-hidden": "true" });
		s.setAttribute("viewBox", `0 ${y1} ${this.total} ${Math.max(y2 - y1, 1)}`);
		s.style.top = y1 + "px";
		const seen = (a, b) => Math.max(a, b) >= y1 && Math.min(a, b) <= y2;
		this.goroutines.forEach((g, i) => {
			if (this.first[i] < 0 && !g.end) return;
			const a = this.yNear(this.first[i], 1), b = g.end ? this.endY(i) : this.yNear(this.last[i], -1);
			if (b >= a && seen(a, b)) s.append(svg("line", { class: "life", x1: this.dotX(i), x2: this.dotX(i), y1: Math.max(a, y1 - 50), y2: Math.min(b, y2 + 50) }));
		});
		for (const l of this.locks) {
			if (this.folded.has(l.g)) continue;
			const a = this.yNear(l.from, 1), b = l.to < 0 ? Math.max(this.bottom(), this.endY(l.g)) : this.yNear(l.to, -1);
			if (b > a && seen(a, b)) s.append(svg("line", { class: "held", x1: this.dotX(l.g) - 6, x2: this.dotX(l.g) - 6, y1: Math.max(a, y1 - 50), y2: Math.min(b, y2 + 50), stroke: colour(this.hue[l.o - 1] ?? 0) }));
		}
		for (const a of this.arrows) this.arrow(s, a, seen);
		for (let i = from; i < to; i++) {
			const e = this.rows[i].e;
			if (!e) continue;
			if (e.s && i > 0) this.switchLine(s, i);
			s.append(svg("circle", { cx: this.dotX(e.g), cy: this.rowY(i), r: Math.min(e.m ? 5 : 3.5, this.h / 2), fill: e.m ? "var(--bad)" : colour(e.g) }));
		}
		this.noOrder(s, seen);
		return s;
	}

	// yNear is the height of an event or, where it is not shown, of the next (by 1) or last (by -1) one that is.
	yNear(i, by) {
		const r = by > 0 ? this.below[i] : this.above[i];
		return r >= 0 ? this.rowY(r) : by > 0 ? this.bottom() : 0;
	}

	arrow(s, [from, to], seen) {
		const r1 = this.rowOf[from], r2 = this.rowOf[to];
		if (r1 < 0 || r2 < 0) return;
		const y1 = this.rowY(r1), y2 = this.rowY(r2);
		if (!seen(y1, y2)) return;
		const a = this.events[from], b = this.events[to], on = from === this.sel || to === this.sel;
		const right = this.cols[b.g].x > this.cols[a.g].x;
		const x1 = right ? this.boxEnd(a) + 2 : this.dotX(a.g) - 5;
		const x2 = right ? this.dotX(b.g) - 7 : this.boxEnd(b) + 3;
		const bend = Math.max(22, Math.abs(x2 - x1) / 2), dir = right ? 1 : -1;
		const far = Math.abs(r2 - r1) > 25 && !on ? " far" : "";
		s.append(svg("path", { class: "arrow" + (on ? " on" : far), d: `M${x1} ${y1}C${x1 + dir * bend} ${y1} ${x2 - dir * bend} ${y2} ${x2} ${y2}` }));
		s.append(svg("path", { class: "tiphead" + (on ? " on" : ""), d: `M${x2 + dir * 2} ${y2}l${-dir * 7} -4v8z` }));
	}

	switchLine(s, i) {
		const j = i - 1;
		if (this.h < SMALL || !this.rows[j].e || this.rows[j].e.g === this.rows[i].e.g) return;
		const x1 = this.dotX(this.rows[j].e.g), x2 = this.dotX(this.rows[i].e.g), y = i * this.h;
		s.append(svg("path", { class: "switch", d: `M${x1} ${this.rowY(j) + 6}V${y}H${x2}V${this.rowY(i) - 6}` }));
	}

	// noOrder connects two accesses that race.
	noOrder(s, seen) {
		if (!this.root.classList.contains("data-race") || this.marks[1] == null || this.marks[2] == null) return;
		const [i, j] = [this.marks[1], this.marks[2]].sort((a, b) => a - b);
		const a = this.events[i], b = this.events[j], r1 = this.rowOf[i], r2 = this.rowOf[j];
		if (r1 < 0 || r2 < 0 || a.g === b.g) return;
		const y1 = this.rowY(r1), y2 = this.rowY(r2);
		if (!seen(y1, y2)) return;
		const right = this.cols[b.g].x > this.cols[a.g].x;
		const x1 = right ? this.boxEnd(a) + 2 : this.dotX(a.g) - 6, x2 = right ? this.dotX(b.g) - 6 : this.boxEnd(b) + 2;
		const bend = Math.max(26, Math.abs(x2 - x1) / 2), dir = right ? 1 : -1;
		s.append(svg("path", { class: "noorder", d: `M${x1} ${y1}C${x1 + dir * bend} ${y1} ${x2 - dir * bend} ${y2} ${x2} ${y2}` }));
		const t = svg("text", { class: "noordertext", x: (x1 + x2) / 2, y: (y1 + y2) / 2 + (r1 === r2 - 1 ? 4 : 0), "text-anchor": "middle" });
		t.textContent = "no order";
		s.append(t);
	}

	lastSeen() {
		for (let i = this.events.length - 1; i >= 0; i--) if (this.rowOf[i] >= 0) return i;
		return -1;
	}

	// select makes an event the current one and shows it.
	select(i, quietly) {
		if (i < 0 || i >= this.events.length) return;
		this.sel = i;
		if (this.rowOf[i] < 0 && !quietly) { this.shown.add(i); this.filter(); }
		const r = this.rowOf[i];
		if (r >= 0) {
			const y = r * this.h, view = this.scroller.clientHeight - HEAD;
			if (y < this.scroller.scrollTop + this.h || y > this.scroller.scrollTop + view - 2 * END)
				this.scroller.scrollTop = Math.max(0, y - view / 2);
			const c = this.cols[this.events[i].g];
			if (c.x < this.scroller.scrollLeft + GUTTER || c.x + c.w > this.scroller.scrollLeft + this.scroller.clientWidth)
				this.scroller.scrollLeft = Math.max(0, c.x - GUTTER);
		}
		this.render();
		this.inspect(this.events[i]);
		if (!quietly) this.root.dispatchEvent(new CustomEvent("picked", { detail: i, bubbles: true }));
	}

	// step selects the next (by 1) or last (by -1) visible event for which ok says yes.
	step(by, ok = () => true) {
		for (let i = this.sel + by; i >= 0 && i < this.events.length; i += by)
			if (this.rowOf[i] >= 0 && ok(this.events[i])) return this.select(i);
	}

	name(i) { return this.goroutines[this.events[i].g].name; }
	where(e) { return e.f ? `${this.files[e.f - 1].Name}:${e.l}` : e.w || ""; }

	// holding lists the locks that e's goroutine holds when e happens.
	holding(e) {
		const at = this.locks.filter(l => l.g === e.g && l.from < e.i && (l.to < 0 || l.to >= e.i));
		return [...new Set(at.map(l => this.events[l.from].t.replace(/^\S+ /, "")))];
	}

	inspect(e) {
		const box = $(".details", this.root), list = make("dl");
		const line = (term, ...what) => list.append(make("dt", "", term), make("dd", "", ...what));
		const jump = (i, text) => {
			const b = make("button", "go", text);
			b.onclick = () => this.select(i);
			return b;
		};
		const other = (i, why) => jump(i, `${this.events[i].n ? `step ${this.events[i].n}: ` : ""}${this.events[i].t} by ${this.name(i)}${why ? ` (${why})` : ""}`);
		if (e.v) line("value", folded(e.v));
		if (e.o) {
			const o = this.objects[e.o - 1], only = jump(e.i, this.object === e.o ? "show all" : "only its steps");
			only.onclick = () => this.only(this.object === e.o ? 0 : e.o);
			line("object", `${o.name}, ${o.kind} `, only);
		}
		const held = this.holding(e);
		line("locks", held.length ? "holds " + held.join(", ") : "holds none");
		for (const a of this.into.get(e.i) || []) line("after", other(a[0], a[2]));
		for (const a of (this.outof.get(e.i) || []).slice(0, 8)) line("before", other(a[1], a[2]));
		if (e.m && this.root.classList.contains("data-race"))
			this.marks.forEach((i, m) => { if (m && m !== e.m) line("no order with", other(i)); });
		if (e.s) line("switch", "the scheduler let this goroutine go on; by itself, another one would have");
		if (e.sk) line("stack", stackList(this.stacks[e.sk - 1], this.editor));
		const nav = make("span", "nav");
		for (const [text, by, title] of [["↑", -1, "Step before"], ["↓", 1, "Next step"]]) {
			const b = make("button", "", text);
			b.title = title;
			b.onclick = () => this.step(by);
			nav.append(b);
		}
		const chip = make("span", "chip");
		chip.style.setProperty("--g", colour(e.g));
		box.replaceChildren(nav, make("h3", "", e.t), make("div", "sub", chip, `${this.name(e.i)}${e.n ? ` · step ${e.n} of ${this.events.at(-1).n || this.events.length}` : ""}`, this.where(e) ? " · " : "", position(this.where(e), e.f && this.files[e.f - 1].Path, e.l, this.editor)), list);
		this.source(e);
	}

	only(o) {
		this.object = o;
		$(".objects", this.root).value = o;
		if ($(".objects", this.root).value !== String(o)) $(".objects", this.root).value = 0;
		this.refilter();
		this.inspect(this.events[this.sel]);
	}

	// standing returns where e stands in the user's source, as [file, line]: at its own place or, inside
	// a library, where the user's code called that. The file is 0 where there is none.
	standing(e) {
		const frames = e.sk ? this.stacks[e.sk - 1] : [];
		if (e.f && !frames[0]?.std) return [e.f, e.l];
		const user = frames.find(f => !f.std && f.file);
		return user ? [user.file, user.line] : [e.f || 0, e.l];
	}

	source(e) {
		const box = $(".source", this.root), [f, line] = this.standing(e);
		if (!f) {
			box.replaceChildren(make("div", "name", this.where(e) || "no source for this step"));
			this.file = 0;
			return;
		}
		if (this.file !== f) this.openFile(box, f);
		this.nowLine?.classList.remove("now");
		this.nowLine = this.lines_[line];
		if (!this.nowLine) return;
		this.nowLine.classList.add("now");
		const y = this.nowLine.offsetTop;
		if (y < box.scrollTop + 40 || y > box.scrollTop + box.clientHeight - 50) box.scrollTop = y - box.clientHeight / 2.4;
	}

	openFile(box, f) {
		const file = this.files[f - 1], marks = {};
		for (const e of this.events) if (e.m && e.f === f) (marks[e.l] ||= new Set()).add(e.m);
		this.file = f;
		this.lines_ = {};
		box.replaceChildren(make("div", "name", position(file.Name, file.Path, 1, this.editor)));
		let before = 0;
		for (const [n, ...parts] of file.Lines) {
			if (before && n !== before + 1) box.append(make("div", "cut", "⋯"));
			before = n;
			const src = make("span", "src");
			for (let i = 0; i < parts.length; i += 2) src.append(parts[i] ? make("i", parts[i], parts[i + 1]) : parts[i + 1]);
			const l = make("div", marks[n] ? "line hit" : "line", make("span", "n", String(n)), src);
			for (const m of marks[n] || []) l.append(make("span", "mark", String(m)));
			this.lines_[n] = l;
			box.append(l);
		}
	}

	key_(ev) {
		const e = this.events[this.sel] || { g: -1, o: -1 };
		switch (ev.key) {
		case "ArrowDown": case "j": return this.step(1), true;
		case "ArrowUp": case "k": return this.step(-1), true;
		case "ArrowRight": case "l": return this.step(1, x => x.g === e.g), true;
		case "ArrowLeft": case "h": return this.step(-1, x => x.g === e.g), true;
		case "o": return this.step(1, x => x.o && x.o === e.o), true;
		case "O": return this.step(-1, x => x.o && x.o === e.o), true;
		case "s": return this.step(1, x => x.s), true;
		case "S": return this.step(-1, x => x.s), true;
		case "Home": return this.select(this.rows.find(r => r.e)?.e.i ?? -1), true;
		case "End": return this.select(this.lastSeen()), true;
		case "f": return this.only(this.object ? 0 : e.o || 0), true;
		case "a": this.key = !this.key; return this.refilter(), true;
		case "+": case "=": return this.zoom(-1), true;
		case "-": return this.zoom(1), true;
		case "/": return $(".find", this.root).focus(), true;
		case "Escape": return this.everything(), true;
		}
		if (ev.key >= "1" && ev.key <= "9" && this.marks[+ev.key] != null) return this.select(this.marks[+ev.key]), true;
		return false;
	}
}
