// What all pages share: elements, colours, the theme.
const HUES = [214, 28, 152, 282, 340, 186, 58, 250, 95, 8];
const $ = (sel, root = document) => root.querySelector(sel);

// make returns an element with a class and children, which may be text.
function make(tag, cls, ...children) {
	const e = document.createElement(tag);
	if (cls) e.className = cls;
	e.append(...children.filter(c => c !== "" && c != null));
	return e;
}

function svg(tag, attrs) {
	const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const k in attrs) e.setAttribute(k, attrs[k]);
	return e;
}

function colour(i) {
	const dark = document.documentElement.dataset.theme === "dark";
	return `hsl(${HUES[i % HUES.length]} ${dark ? "62% 64%" : "62% 37%"})`;
}

// cut shortens text for places with little room.
function cut(text, n) { return text.length > n ? text.slice(0, n) + "…" : text; }

// folded returns text of which a long rest is shown on demand.
function folded(text, most = 200) {
	const box = make("code", "", cut(text, most));
	if (text.length <= most) return box;
	const b = make("button", "rest", `show all ${text.length.toLocaleString("en")} characters`);
	b.onclick = () => box.replaceChildren(text);
	box.append(" ", b);
	return box;
}

// position returns "file:line", as a link into the editor if the page was made for one.
function position(text, path, line, editor) {
	if (!text || !path || !editor) return text || "";
	const a = make("a", "pos", text);
	a.href = editor.replaceAll("{path}", path.split("/").map(encodeURIComponent).join("/").replace(/%3A/g, ":")).replaceAll("{line}", line);
	return a;
}

// stackList returns the frames of a stack, the user's first: what libraries do below is folded.
function stackList(frames, editor) {
	const item = f => make("li", f.std ? "std" : "", make("code", "", f.func), " ", make("span", "pos", position(f.at, f.path, f.line, editor)));
	const n = frames.findIndex(f => !f.std), inner = frames.slice(0, Math.max(n, 0));
	const list = make("ol", "stack", ...frames.slice(inner.length).map(item));
	if (!inner.length) return list;
	return make("div", "", list, make("details", "inner", make("summary", "", `inside it: ${inner[0].func}`), make("ol", "stack", ...inner.map(item))));
}

const themed = []; // called when the theme has changed

function theme(t) {
	document.documentElement.dataset.theme = t || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
	for (const f of themed) f();
}
