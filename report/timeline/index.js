// The list of a run's findings: which are shown. What was chosen stays in the address, so that it is
// still chosen on the way back from a finding.
const fields = ["kind", "pkg", "text"].map(id => $("#" + id)), only = $("#only");
const findings = [...document.querySelectorAll(".fnd[data-kind]")];

function choose() {
	const [kind, pkg, text] = fields.map(f => f.value.trim());
	const words = text.toLowerCase().split(/\s+/).filter(w => w);
	const has = e => words.every(w => e.textContent.toLowerCase().includes(w));
	let n = 0;
	for (const section of document.querySelectorAll("section.package")) {
		let some = false;
		for (const test of section.querySelectorAll("tbody")) {
			const inTest = has($(".test", test)) || has($("h2", section));
			let shown = 0, of = 0;
			for (const f of test.querySelectorAll(".fnd[data-kind]")) {
				f.hidden = kind && f.dataset.kind !== kind || !(inTest || has(f));
				of++;
				if (!f.hidden) shown++;
			}
			test.hidden = pkg && section.dataset.pkg !== pkg ||
				!shown && (of > 0 || only.checked || !!kind || !inTest);
			if (!test.hidden) { some = true; n += shown; }
		}
		section.hidden = !some;
	}
	$("#shown").textContent = n === findings.length ? "" : `${n} of ${findings.length} shown`;
	$("#none").hidden = !!document.querySelector("section.package:not([hidden])");
	const q = new URLSearchParams();
	for (const f of fields) if (f.value) q.set(f.id, f.value);
	if (only.checked) q.set("only", "1");
	try { history.replaceState(null, "", "#" + q); } catch { /* a page without a place */ }
}

if (fields[0]) {
	const q = new URLSearchParams(location.hash.slice(1));
	for (const f of fields) { f.value = q.get(f.id) || ""; if (f.selectedIndex < 0) f.value = ""; f.oninput = choose; }
	only.checked = q.has("only");
	only.onchange = choose;
	choose();
	addEventListener("keydown", ev => {
		const typing = /^(INPUT|SELECT)$/.test(ev.target.tagName);
		if (ev.key === "Escape") { for (const f of fields) f.value = ""; only.checked = false; ev.target.blur(); choose(); }
		if (!typing && (ev.key === "j" || ev.key === "k")) {
			const links = [...document.querySelectorAll(".fnd a")].filter(a => a.checkVisibility());
			const at = links.indexOf(document.activeElement), by = ev.key === "j" ? 1 : -1;
			links[at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
		}
		if (ev.key === "/" && !typing) { fields[2].focus(); ev.preventDefault(); }
	});
}
