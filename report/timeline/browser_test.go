package timeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/browser"
)

// long returns a finding with n events of 12 goroutines that take turns at locks.
func long(n int) Finding {
	f := race()
	f.Goroutines = nil
	for i := range 12 {
		f.Goroutines = append(f.Goroutines, Goroutine{Name: fmt.Sprintf("main/%d", i)})
	}
	f.Objects = []Object{{Name: "a.n", Kind: "memory"}}
	for i := range 5 {
		f.Objects = append(f.Objects, Object{Name: fmt.Sprintf("mu%d", i), Kind: "mutex"})
	}
	f.Events = nil
	for i := range n {
		e := Event{G: i / 2 % 12, Object: 2 + i/2%5, Op: "lock", File: 1, Line: 6, Key: i%500 < 3}
		if i%2 == 1 {
			e.Op = "unlock"
		}
		e.Text = fmt.Sprintf("%s mu%d", e.Op, e.Object-2)
		e.Switch = i%100 == 0
		f.Events = append(f.Events, e)
	}
	f.Events[n-10] = Event{G: 1, Op: "write", Text: "write a.n", Object: 1, Value: "4711", File: 1, Line: 6,
		Mark: 1, Key: true}
	f.Events[n-4] = Event{G: 2, Op: "read", Text: "read a.n", Object: 1, Value: "4711", File: 1, Line: 8,
		Mark: 2, Key: true}
	return f
}

// open shows the page of findings in a browser.
func open(t *testing.T, findings ...Finding) *browser.Page {
	t.Helper()
	for _, f := range findings { // every event a step of its own
		for i := range f.Events {
			f.Events[i].Step = i + 1
		}
	}
	return openText(t, page(t, findings...))
}

// openText shows a page in a browser.
func openText(t *testing.T, text string) *browser.Page {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := browser.Start(context.Background())
	if errors.Is(err, browser.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	p, err := b.Open("file://"+file, browser.Size{Width: 1400, Height: 1500})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Problems(); err != nil {
			t.Error(err)
		}
		for _, url := range p.Requests() {
			if !strings.HasPrefix(url, "file:") && !strings.HasPrefix(url, "data:") {
				t.Errorf("the page asks for %s", url)
			}
		}
	})
	return p
}

// say returns the value of an expression as text.
func say(t *testing.T, p *browser.Page, js string) string {
	t.Helper()
	var s string
	if err := p.Eval("String("+js+")", &s); err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	chosen  = `document.querySelector(".details h3").textContent + " " + document.querySelector(".details .sub").textContent`
	boxes   = `document.querySelectorAll(".canvas .ev").length`
	current = `document.querySelector(".source .now .n").textContent`
)

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wants fails the test unless the value of js contains want.
func wants(t *testing.T, p *browser.Page, js, want string) {
	t.Helper()
	if got := say(t, p, js); !strings.Contains(got, want) {
		t.Errorf("%s is %q, want %q in it", js, got, want)
	}
}

func TestInBrowser(t *testing.T) {
	p := open(t, race(), long(50))
	wants(t, p, chosen, "read a.n") // the last event of the finding
	do(t, p.Key("ArrowUp"))
	wants(t, p, chosen, "step 4 of 7")
	wants(t, p, current, "6")
	do(t, p.Key("1"))
	wants(t, p, chosen, "write a.n")
	wants(t, p, `document.querySelector(".details").textContent`, "no order withstep 5: read a.n by main")
	do(t, p.Key("Home"))
	wants(t, p, chosen, "step 1 of 7")
	do(t, p.Key("s"))
	wants(t, p, chosen, "start func()")
	do(t, p.Click(`.canvas .ev[data-i="6"]`))
	wants(t, p, chosen, "recv done")
	wants(t, p, `document.querySelector(".details").textContent`,
		"step 6: send done by main/1 (is received by)")
	wants(t, p, "location.hash", "#1:7")
	do(t, p.Move(`.canvas .ev[data-i="3"]`))
	wants(t, p, `document.querySelector("#tip").textContent`, "write a.n = 1")
	do(t, p.Key("?"))
	wants(t, p, `document.querySelector("#help").open`, "true")
	do(t, p.Eval(`document.querySelector("#help").close()`, nil))
	before := say(t, p, `getComputedStyle(document.body).backgroundColor`)
	do(t, p.Click("#theme"))
	if after := say(t, p, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Error("the theme stays")
	}
	// the other finding
	do(t, p.Eval(`(() => { const w = document.querySelector("#which"); w.value = 2; w.dispatchEvent(new Event("change")); })()`, nil))
	wants(t, p, `[...document.querySelectorAll("article")].map(a => a.hidden).join()`, "true,false")
	notBlank(t, p)
}

// 5,000 events are as fast to navigate as ten: most are not in the document.
func TestInBrowserLong(t *testing.T) {
	p := open(t, long(5000))
	wants(t, p, chosen, "read a.n")
	wants(t, p, `document.querySelector(".only-key").className`, "on")
	do(t, p.Key("a")) // all steps
	do(t, p.Key("Home"))
	wants(t, p, chosen, "step 1 of 5000")
	for range 30 {
		do(t, p.Key("ArrowDown"))
	}
	wants(t, p, chosen, "step 31 of 5000")
	do(t, p.Key("End"))
	wants(t, p, chosen, "step 5000 of 5000")
	wants(t, p, `document.querySelector(".ev.on") !== null`, "true")
	var n, height int
	do(t, p.Eval(boxes, &n))
	do(t, p.Eval(`document.querySelector(".canvas").offsetHeight`, &height))
	if n < 10 || n > 150 || height < 5000*20 {
		t.Errorf("%d boxes, %d pixels high", n, height)
	}
	// only the events of one object
	do(t, p.Eval(`(() => { const o = document.querySelector(".objects"); o.value = 1; o.dispatchEvent(new Event("change")); })()`, nil))
	wants(t, p, boxes, "2")
	wants(t, p, `[...document.querySelectorAll(".ev")].map(e => e.textContent).join()`, "write a.n = 4711")
	do(t, p.Key("Escape"))
	do(t, p.Key("/"))
	do(t, p.Type("4711"))
	wants(t, p, boxes, "2")
	do(t, p.Eval(`document.querySelector(".gap").click()`, nil)) // a gap opens
	do(t, p.Eval(boxes, &n))
	if n < 10 {
		t.Errorf("%d boxes behind a gap", n)
	}
	notBlank(t, p)
}

// A reader goes from finding to finding, and from a step to its stack, its value and its source.
func TestInBrowserFindings(t *testing.T) {
	p := open(t, race(), deadlock(), race())
	shown := `[...document.querySelectorAll("article")].map(a => +!a.hidden).join("")`
	wants(t, p, shown, "100")
	wants(t, p, `document.querySelector("#before").disabled`, "true")
	do(t, p.Key("n"))
	wants(t, p, shown, "010")
	do(t, p.Key("p"))
	do(t, p.Key("p"))
	wants(t, p, shown, "100")
	do(t, p.Click("#after"))
	wants(t, p, shown, "010")
	wants(t, p, "location.hash", "#2")
	detail := `document.querySelector("article:not([hidden]) .details")`
	do(t, p.Key("1")) // a step inside the standard library, with a long value
	wants(t, p, detail+`.querySelector(".stack").textContent`, "transfer a.go:6")
	wants(t, p, detail+`.querySelector(".inner").textContent`, "inside it: sync.(*Mutex).Lock")
	wants(t, p, detail+`.querySelector(".inner").open`, "false")
	wants(t, p, detail+`.querySelector("a.pos").href`, "vscode://file/home/me/my%20bank/a.go:6")
	wants(t, p, detail+`.textContent.length < 800`, "true")
	wants(t, p, detail+`.querySelector(".rest").textContent`, "show all 3,300 characters")
	do(t, p.Click("article:not([hidden]) .details .rest"))
	wants(t, p, detail+`.textContent.length > 3300`, "true")
	do(t, p.Key("n"))
	do(t, p.Key("n"))
	wants(t, p, shown, "001")
	// what is folded is printed, and folded again
	open := `document.querySelectorAll("article:not([hidden]) details[open]").length`
	wants(t, p, open, "0")
	do(t, p.Eval(`dispatchEvent(new Event("beforeprint"))`, nil))
	wants(t, p, open, "1")
	do(t, p.Eval(`dispatchEvent(new Event("afterprint"))`, nil))
	wants(t, p, open, "0")
}

// The keys of a page of its own follow the links to the others.
func TestInBrowserLinks(t *testing.T) {
	var nav strings.Builder
	l := Links{Index: "#list", Before: "#before", After: "#after", N: 2, Of: 3}
	do(t, pages.ExecuteTemplate(&nav, "pages", l))
	p := openText(t, strings.Replace(page(t, race()), noLinks, nav.String(), 1))
	for key, want := range map[string]string{"n": "#after", "p": "#before", "i": "#list"} {
		do(t, p.Key(key))
		wants(t, p, "location.hash", want)
	}
}

// The minimap leads to any part of a long execution, and lower rows show more of it.
func TestInBrowserMinimap(t *testing.T) {
	p := open(t, race(), long(5000))
	wants(t, p, `document.querySelector(".minimap").hidden`, "true") // seven steps need none
	do(t, p.Key("n"))
	do(t, p.Key("a"))
	the := `document.querySelector("article:not([hidden]) %s")`
	scroller, lens := fmt.Sprintf(the, ".scroller"), fmt.Sprintf(the, ".lens")
	wants(t, p, fmt.Sprintf(the, ".minimap")+".hidden", "false")
	do(t, p.Click("article:not([hidden]) .minimap"))
	at := fmt.Sprintf("%s.scrollTop / %s.scrollHeight", scroller, scroller)
	wants(t, p, "Math.abs("+at+" - .5) < .02", "true")
	do(t, p.Eval(`new Promise(r => requestAnimationFrame(() => setTimeout(r)))`, nil)) // it has scrolled
	wants(t, p, fmt.Sprintf("%s.offsetTop > 300 && %s.offsetHeight < 30", lens, lens), "true")
	wants(t, p, fmt.Sprintf(the, ".row .num")+".textContent > 2300", "true")
	before := say(t, p, boxes)
	do(t, p.Key("-"))
	do(t, p.Key("-"))
	wants(t, p, fmt.Sprintf(the, ".row")+".offsetHeight", "10")
	wants(t, p, fmt.Sprintf(`%s > 50 + %s`, boxes, before), "true")
	for range 5 {
		do(t, p.Key("+"))
	}
	wants(t, p, fmt.Sprintf(the, ".row")+".offsetHeight", "30")
	wants(t, p, fmt.Sprintf(the, ".closer")+".disabled", "true")
	notBlank(t, p)
}

// The list shows what is asked for, and still does after the way back.
func TestInBrowserIndex(t *testing.T) {
	var text strings.Builder
	do(t, WriteIndex(&text, run()))
	p := openText(t, text.String())
	shown := `[...document.querySelectorAll(".fnd[data-kind]")].filter(e => e.checkVisibility()).length`
	tests := `[...document.querySelectorAll("tr.test")].filter(e => e.checkVisibility()).length`
	set := func(id, value string) {
		t.Helper()
		do(t, p.Eval(fmt.Sprintf(`(() => { const f = document.querySelector("#%s"); f.value = %q; f.dispatchEvent(new Event("input")); })()`, id, value), nil))
	}
	wants(t, p, shown+` + " " + `+tests, "9 14")
	set("kind", "deadlock")
	wants(t, p, shown+` + " " + `+tests, "3 3")
	wants(t, p, `document.querySelector("#shown").textContent`, "3 of 9 shown")
	set("pkg", "example.com/web")
	wants(t, p, shown+` + " " + `+tests, "1 1")
	wants(t, p, "location.hash", "#kind=deadlock&pkg=example.com%2Fweb")
	do(t, p.Key("Escape"))
	wants(t, p, shown+` + " " + `+tests, "9 14")
	do(t, p.Key("/"))
	do(t, p.Type("DEADLOCK journal.go"))
	wants(t, p, shown+` + " " + `+tests, "3 3")
	set("text", "TestTransfer12")
	wants(t, p, shown+` + " " + `+tests, "1 1")
	set("text", "undefined: x") // what the compiler said
	wants(t, p, shown+` + " " + `+tests, "0 1")
	set("text", "no such thing")
	wants(t, p, `document.querySelector("#none").checkVisibility() + " " + `+tests, "true 0")
	do(t, p.Key("Escape"))
	do(t, p.Click("#only"))
	wants(t, p, shown+` + " " + `+tests, "9 9")
	do(t, p.Eval(`document.activeElement.blur()`, nil))
	do(t, p.Key("j"))
	do(t, p.Key("j"))
	wants(t, p, `document.activeElement.getAttribute("href")`, "bank-0-2.html")
	do(t, p.Key("k"))
	wants(t, p, `document.activeElement.getAttribute("href")`, "bank-0-1.html")
	wants(t, p, "location.hash", "#only=1")
}

// notBlank checks a picture of the page: text, boxes and lines in many places.
func notBlank(t *testing.T, p *browser.Page) {
	t.Helper()
	data, err := p.Screenshot()
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	if b.Dx() != 1400 || b.Dy() != 1500 {
		t.Errorf("the picture is %v", b)
	}
	colours, rows := map[any]bool{}, 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := map[any]bool{}
		for x := b.Min.X; x < b.Max.X; x++ {
			row[img.At(x, y)] = true
		}
		for c := range row {
			colours[c] = true
		}
		if len(row) > 4 {
			rows++
		}
	}
	if len(colours) < 100 || rows < b.Dy()/4 {
		t.Errorf("%d colours, %d of %d rows with anything in them", len(colours), rows, b.Dy())
	}
}
