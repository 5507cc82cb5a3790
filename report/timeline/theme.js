// Light or dark: as the system says, until the reader chooses.
let chosen = "";
try { chosen = localStorage.getItem("heddle-theme") || ""; } catch { /* not for files */ }
theme(chosen);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme(chosen));
$("#theme").onclick = () => {
	chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
	try { localStorage.setItem("heddle-theme", chosen); } catch { /* not for files */ }
	theme(chosen);
};
// paper is light
addEventListener("beforeprint", () => theme("light"));
addEventListener("afterprint", () => theme(chosen));
