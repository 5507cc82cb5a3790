package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// A Size is the size of a window.
type Size struct{ Width, Height int }

// A Page is an open page.
type Page struct {
	b       *Browser
	session string

	mu       sync.Mutex
	loaded   chan struct{}
	problems []error
	requests []string
}

type object map[string]any

// Open opens a page in the browser's only tab and waits until it is loaded. It replaces the page
// that was open: of several tabs, all but one would be in the background and draw nothing.
func (b *Browser) Open(url string, size Size) (*Page, error) {
	target, err := b.tab()
	if err != nil {
		return nil, err
	}
	var attached struct{ SessionID string }
	if err := b.call("", "Target.attachToTarget", object{"targetId": target, "flatten": true},
		&attached); err != nil {
		return nil, err
	}
	p := &Page{b: b, session: attached.SessionID, loaded: make(chan struct{})}
	b.mu.Lock()
	b.events[p.session] = p.event
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		if err := p.call(domain+".enable", nil, nil); err != nil {
			return nil, err
		}
	}
	if err := p.Resize(size); err != nil {
		return nil, err
	}
	if err := p.call("Page.navigate", object{"url": url}, nil); err != nil {
		return nil, err
	}
	select {
	case <-p.loaded:
		return p, nil
	case <-time.After(time.Minute):
		return nil, fmt.Errorf("%s is not there after a minute", url)
	}
}

// tab returns the id of the tab, which appears some time after the start of the browser.
func (b *Browser) tab() (string, error) {
	for range 600 {
		var r struct {
			TargetInfos []struct{ TargetID, Type string }
		}
		if err := b.call("", "Target.getTargets", nil, &r); err != nil {
			return "", err
		}
		for _, t := range r.TargetInfos {
			if t.Type == "page" {
				return t.TargetID, nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return "", errors.New("the browser has no tab")
}

func (p *Page) call(method string, params, result any) error {
	return p.b.call(p.session, method, params, result)
}

func (p *Page) event(method string, params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch method {
	case "Page.loadEventFired":
		select {
		case <-p.loaded:
		default:
			close(p.loaded)
		}
	case "Runtime.exceptionThrown":
		var e struct {
			ExceptionDetails struct {
				Text      string
				Exception struct{ Description string }
			}
		}
		json.Unmarshal(params, &e)
		p.problems = append(p.problems,
			errors.New(e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description))
	case "Log.entryAdded":
		var e struct {
			Entry struct{ Level, Text, URL string }
		}
		json.Unmarshal(params, &e)
		if e.Entry.Level == "error" {
			p.problems = append(p.problems, errors.New(e.Entry.Text+" "+e.Entry.URL))
		}
	case "Network.requestWillBeSent":
		var e struct{ Request struct{ URL string } }
		json.Unmarshal(params, &e)
		p.requests = append(p.requests, e.Request.URL)
	}
}

// Problems returns the exceptions and errors in the log of the page.
func (p *Page) Problems() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.problems...)
}

// Requests returns the addresses that the page requested, including its own.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

// Eval evaluates an expression of JavaScript and stores its value in result, if not nil.
func (p *Page) Eval(expression string, result any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := p.call("Runtime.evaluate",
		object{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r); err != nil {
		return err
	}
	if r.ExceptionDetails != nil {
		return fmt.Errorf("%s: %s %s", expression, r.ExceptionDetails.Text,
			r.ExceptionDetails.Exception.Description)
	}
	if result == nil {
		return nil
	}
	if r.Result.Value == nil {
		return fmt.Errorf("%s has no value", expression)
	}
	return json.Unmarshal(r.Result.Value, result)
}

// Move moves the mouse to the middle of the first element that matches a selector.
func (p *Page) Move(selector string) error {
	_, _, err := p.move(selector)
	return err
}

func (p *Page) move(selector string) (x, y float64, err error) {
	var at []float64
	quoted, _ := json.Marshal(selector)
	js := fmt.Sprintf(`(() => { const e = document.querySelector(%s); if (!e) return [];
		e.scrollIntoView({block: "nearest"}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, quoted)
	if err := p.Eval(js, &at); err != nil {
		return 0, 0, err
	}
	if len(at) != 2 {
		return 0, 0, fmt.Errorf("the page has no %s", selector)
	}
	return at[0], at[1], p.mouse("mouseMoved", at[0], at[1])
}

// Click clicks on the first element that matches a selector.
func (p *Page) Click(selector string) error {
	x, y, err := p.move(selector)
	if err != nil {
		return err
	}
	return errors.Join(p.mouse("mousePressed", x, y), p.mouse("mouseReleased", x, y))
}

func (p *Page) mouse(kind string, x, y float64) error {
	params := object{"type": kind, "x": x, "y": y}
	if kind != "mouseMoved" {
		params["button"], params["clickCount"] = "left", 1
	}
	return p.call("Input.dispatchMouseEvent", params, nil)
}

// Key presses a key, named as in KeyboardEvent.key: "ArrowDown", "j".
func (p *Page) Key(key string) error {
	down := object{"type": "keyDown", "key": key}
	if len(key) == 1 {
		down["text"] = key
	}
	return errors.Join(p.call("Input.dispatchKeyEvent", down, nil),
		p.call("Input.dispatchKeyEvent", object{"type": "keyUp", "key": key}, nil))
}

// Type presses keys one after the other.
func (p *Page) Type(text string) error {
	for _, key := range strings.Split(text, "") {
		if err := p.Key(key); err != nil {
			return err
		}
	}
	return nil
}

// Print sets whether the page is shown as it is printed.
func (p *Page) Print(on bool) error {
	media := ""
	if on {
		media = "print"
	}
	return p.call("Emulation.setEmulatedMedia", object{"media": media}, nil)
}

// Resize changes the size of the window.
func (p *Page) Resize(size Size) error {
	return p.call("Emulation.setDeviceMetricsOverride",
		object{"width": size.Width, "height": size.Height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Dark sets whether the system prefers dark pages.
func (p *Page) Dark(dark bool) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	return p.call("Emulation.setEmulatedMedia",
		object{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Screenshot returns the content of the window as a PNG.
func (p *Page) Screenshot() ([]byte, error) {
	var r struct{ Data []byte }
	err := p.call("Page.captureScreenshot", object{"format": "png"}, &r)
	return r.Data, err
}
