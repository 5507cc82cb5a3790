// The page: which finding is shown, keys, theme, tips.
const articles = [...document.querySelectorAll("article.finding")];
const timelines = new Map();
let current = 0;

themed.push(() => timelines.forEach(x => { x.layout(); if (x.sel >= 0) x.inspect(x.events[x.sel]); }));

function show(n, step) {
	if (!articles[n]) return;
	current = n;
	articles.forEach((a, i) => a.hidden = i !== n);
	if ($("#which")) {
		$("#which").value = n + 1;
		$("#before").disabled = n === 0;
		$("#after").disabled = n === articles.length - 1;
	}
	if (!timelines.has(n) && $(".data", articles[n])) timelines.set(n, new Timeline(articles[n]));
	if (step >= 0) timelines.get(n)?.select(step);
	timelines.get(n)?.layout();
}

function fromHash() {
	const [n, step] = location.hash.slice(1).split(":");
	show(Math.max(0, (parseInt(n) || 1) - 1), (parseInt(step) || 0) - 1);
}

function remember(step) {
	try { history.replaceState(null, "", `#${current + 1}${step >= 0 ? ":" + (step + 1) : ""}`); } catch { /* a page without a place */ }
}

// turn goes to the next finding (by 1) or the one before (by -1): on this page or on another.
function turn(by) {
	const link = $(by > 0 ? "#pages a[rel=next]" : "#pages a[rel=prev]");
	if (link) link.click();
	else if (articles[current + by]) { show(current + by); remember(-1); scrollTo(0, 0); }
}

if (articles.length) {
	fromHash();
	addEventListener("hashchange", fromHash);
	document.addEventListener("picked", e => remember(e.detail));
	if ($("#which")) $("#which").onchange = e => { show(e.target.value - 1); remember(-1); };
	if ($("#before")) { $("#before").onclick = () => turn(-1); $("#after").onclick = () => turn(1); }
	$("#keys").onclick = () => $("#help").showModal();
}

// What is folded is printed too, and text in the place of the timeline.
let opened = [];
addEventListener("beforeprint", () => {
	opened = [...document.querySelectorAll("article:not([hidden]) details:not([open])")];
	opened.forEach(d => d.open = true);
});
addEventListener("afterprint", () => opened.forEach(d => d.open = false));

addEventListener("keydown", ev => {
	if (ev.ctrlKey || ev.metaKey || ev.altKey || $("#help")?.open) return;
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(ev.target.tagName);
	if (typing && ev.key === "Escape") ev.target.blur();
	else if (typing) return;
	switch (ev.key) {
	case "?": return $("#help").showModal();
	case "n": return turn(1);
	case "p": return turn(-1);
	case "i": return $("#pages a[rel=up]")?.click();
	}
	const t = timelines.get(current);
	if (t && t.key_(ev)) ev.preventDefault();
});

// A tip with an event's value and place.
const tip = $("#tip");
document.addEventListener("mousemove", ev => {
	const on = ev.target.closest?.(".ev, [data-tip]"), t = timelines.get(current);
	if (!on || !t) { tip.hidden = true; return; }
	if (on.dataset.tip) tip.replaceChildren(on.dataset.tip);
	else {
		const e = t.events[on.dataset.i], lines = [make("b", "", e.t + (e.v ? " = " + cut(e.v, 300) : ""))];
		lines.push(`\n${t.goroutines[e.g].name}${t.where(e) ? " at " + t.where(e) : ""}`);
		if (e.o) lines.push(`\n${t.objects[e.o - 1].kind} ${t.objects[e.o - 1].name}`);
		for (const a of (t.into.get(e.i) || []).slice(0, 3)) lines.push(`\nafter ${t.events[a[0]].t} by ${t.name(a[0])}`);
		tip.replaceChildren(...lines);
	}
	tip.hidden = false;
	tip.style.left = Math.min(ev.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
	tip.style.top = (ev.clientY + 18 + tip.offsetHeight > innerHeight ? ev.clientY - tip.offsetHeight - 10 : ev.clientY + 18) + "px";
});

for (const b of document.querySelectorAll(".copybutton")) b.onclick = async () => {
	const text = b.previousElementSibling.textContent;
	try { await navigator.clipboard.writeText(text); } catch {
		const r = document.createRange();
		r.selectNodeContents(b.previousElementSibling);
		getSelection().removeAllRanges();
		getSelection().addRange(r);
		document.execCommand("copy");
	}
	b.textContent = "Copied";
	setTimeout(() => b.textContent = "Copy", 1500);
};
