// Package browser lets tests use a page in headless Chromium, with mouse and keyboard:
//
//	b, err := browser.Start(ctx)           // ErrNone if no browser is installed
//	p, err := b.Open("file:///tmp/x.html", browser.Size{1200, 900})
//	err = p.Click("#theme")
//	err = p.Key("ArrowDown")
//	err = p.Eval("document.title", &title)
//	png, err := p.Screenshot()
//
// It speaks the Chrome DevTools Protocol over a pipe (--remote-debugging-pipe), which needs
// neither a port nor a library. Only tests use it.
package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// ErrNone says that no browser can be started.
var ErrNone = errors.New("no browser")

func none(why string) error { return fmt.Errorf("%w: %s", ErrNone, why) }

var names = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
	"google-chrome-stable", "chrome", "headless-shell"}

// Find returns the path of a browser: the value of HEDDLE_BROWSER, or the first one in PATH.
func Find() (string, error) {
	if path := os.Getenv("HEDDLE_BROWSER"); path != "" {
		return exec.LookPath(path)
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", none("none is installed; put chromium into PATH, or name one in HEDDLE_BROWSER")
}

// A Browser is a running browser.
type Browser struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	profile string

	mu     sync.Mutex
	last   int
	calls  map[int]chan reply
	events map[string]func(method string, params json.RawMessage) // by session
	dead   error
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// Start starts a browser. It runs until Close is called or ctx ends.
func Start(ctx context.Context) (*Browser, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	if cramped() {
		return nil, none("the address space is limited (ulimit -v), and a browser reserves much of it")
	}
	profile, err := os.MkdirTemp("", "heddle-browser-")
	if err != nil {
		return nil, err
	}
	toBrowser, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
		"--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--disable-background-networking", "--disable-extensions", "--hide-scrollbars",
		"--force-color-profile=srgb",
		"--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	err = cmd.Start()
	toBrowser.Close()
	fromBrowser.Close()
	b := &Browser{cmd: cmd, in: in, profile: profile, calls: map[int]chan reply{},
		events: map[string]func(string, json.RawMessage){}}
	if err != nil {
		in.Close()
		out.Close()
		os.RemoveAll(profile)
		return nil, fmt.Errorf("%s does not start: %w", path, err)
	}
	go b.read(out)
	return b, nil
}

// Close stops the browser.
func (b *Browser) Close() {
	b.in.Close() // the browser ends when its pipe is closed
	gone := time.AfterFunc(5*time.Second, func() { b.cmd.Process.Kill() })
	b.cmd.Wait()
	gone.Stop()
	os.RemoveAll(b.profile)
}

// read dispatches the messages of the browser, which end with a zero byte.
func (b *Browser) read(out io.ReadCloser) {
	defer out.Close()
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			b.end(fmt.Errorf("the browser has gone: %w", err))
			return
		}
		var m struct {
			ID        int
			SessionID string
			Method    string
			Params    json.RawMessage
			reply
		}
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) != nil {
			continue
		}
		b.mu.Lock()
		answer, event := b.calls[m.ID], b.events[m.SessionID]
		delete(b.calls, m.ID)
		b.mu.Unlock()
		switch {
		case m.ID != 0 && answer != nil:
			answer <- m.reply
		case m.ID == 0 && event != nil:
			event(m.Method, m.Params)
		}
	}
}

func (b *Browser) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dead = err
	for id, c := range b.calls {
		delete(b.calls, id)
		close(c)
	}
}

// call sends a command of the protocol and waits for its result.
func (b *Browser) call(session, method string, params, result any) error {
	b.mu.Lock()
	if b.dead != nil {
		b.mu.Unlock()
		return b.dead
	}
	b.last++
	id, answer := b.last, make(chan reply, 1)
	b.calls[id] = answer
	text, err := json.Marshal(struct {
		ID        int    `json:"id"`
		SessionID string `json:"sessionId,omitempty"`
		Method    string `json:"method"`
		Params    any    `json:"params,omitempty"`
	}{id, session, method, params})
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	r, ok := <-answer
	switch {
	case !ok:
		return b.dead
	case r.Error != nil:
		return fmt.Errorf("%s: %s", method, r.Error.Message)
	case result != nil:
		return json.Unmarshal(r.Result, result)
	}
	return nil
}
