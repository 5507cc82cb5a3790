package cluster

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"heddle/rt/wire"
)

// A hostile is a bus that strangers may write to, a coordinator that explores a tree, and an honest
// worker.
type hostile struct {
	t      *testing.T
	bus    *Bus // the coordinator's
	other  *nats.Conn
	key    ed25519.PrivateKey
	remote *Remote
	tree   *tree

	mu    sync.Mutex
	notes []string
}

func newHostile(t *testing.T) *hostile {
	url := natsServer(t, server.Options{})
	bus, err := Connect(t.Context(), Network{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	other, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{t: t, bus: bus, other: other, key: key, tree: &tree{seed: 1}}
	content := []byte("never run")
	binary := filepath.Join(t.TempDir(), "binary")
	if err := os.WriteFile(binary, content, 0o600); err != nil {
		t.Fatal(err)
	}
	h.remote, err = bus.Offer(t.Context(), key, &Job{Binary: hash(content), Platform: Platform}, binary)
	if err != nil {
		t.Fatal(err)
	}
	h.remote.Note = func(text string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.notes = append(h.notes, text)
	}
	return h
}

// serve starts a worker with an invitation. It returns a function that stops it.
func (h *hostile) serve(v Invitation, x Executor) (stop func()) {
	bus, err := Connect(h.t.Context(), Network{URL: h.bus.URL()})
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	dir := h.t.TempDir()
	go func() {
		served <- bus.Serve(ctx, Service{Trust: []Invitation{v}, Slots: 1, Dir: dir, Note: func(string) {},
			Start: func(*Job, string) Executor { return x }})
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			h.t.Error(err)
		}
		bus.Close()
	})
	h.t.Cleanup(stop)
	return stop
}

// explore explores the tree and fails the test unless each node was visited once.
func (h *hostile) explore() {
	h.t.Helper()
	want, _ := h.tree.whole()
	r := newRunOf(h.tree, Options{})
	if err := h.remote.Work(h.t.Context(), r, nil); err != nil {
		h.t.Fatal(err)
	}
	o, err := r.Finish()
	if err != nil || !o.Complete || o.Tally.Executions != want.Executions || o.Tally.Buggy != want.Buggy {
		h.t.Errorf("%d nodes visited, sum %d, complete: %v; want %d, %d, true; %v",
			o.Tally.Executions, o.Tally.Buggy, o.Complete, want.Executions, want.Buggy, err)
	}
}

func (h *hostile) wantNote(part string) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.notes) != 1 || !strings.Contains(h.notes[0], part) {
		h.t.Errorf("notes %q, want one with %q", h.notes, part)
	}
}

// A stranger answers every Item at once: nothing is left, nothing was found. It has read every
// message of the server, and signs with a key of its own, with the proof of an invited worker.
func TestForgedResults(t *testing.T) {
	h := newHostile(t)
	_, own, _ := ed25519.GenerateKey(nil)
	var proof atomic.Pointer[[]byte]
	var forged atomic.Int64
	_, err := h.other.Subscribe("heddle.here.>", func(msg *nats.Msg) {
		if len(msg.Data) > sealSize {
			p := msg.Data[ed25519.PublicKeySize : ed25519.PublicKeySize+32]
			proof.Store(&p)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.other.Subscribe("heddle.work.>", func(msg *nats.Msg) {
		text := msg.Data[ed25519.SignatureSize:]
		var o order
		it := new(wire.Item)
		if json.Unmarshal(text, &o) != nil || json.Unmarshal(o.Item, it) != nil {
			t.Errorf("an order of another form: %q", text)
			return
		}
		body, _ := json.Marshal(&reply{N: it.N, Epoch: it.Epoch,
			Worked: &wire.Worked{N: it.N, Epoch: it.Epoch}})
		m := &member{own, make([]byte, 32)}
		if p := proof.Load(); p != nil {
			m.proof = *p
		}
		h.other.Publish(resultSubject(o.Run), m.seal(kindResult, o.Run, body))
		h.other.Publish(resultSubject(o.Run), body) // without a signature, as in older versions
		forged.Add(1)
	})
	if err != nil {
		t.Fatal(err)
	}
	h.other.Flush()
	h.serve(Invite(h.key), treeExecutor{h.tree})
	h.explore()
	if forged.Load() == 0 {
		t.Error("nothing was forged")
	}
	h.wantNote("not signed by a worker that was invited")
}

// Results of another run, signed by an invited worker, are sent again for Items of this run with
// the same numbers.
func TestOldResults(t *testing.T) {
	h := newHostile(t)
	var mu sync.Mutex
	var old [][]byte
	got, err := h.other.Subscribe("heddle.results.>", func(msg *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		old = append(old, msg.Data)
	})
	if err != nil {
		t.Fatal(err)
	}
	h.other.Flush()
	// another version of the program: other nodes
	stop := h.serve(Invite(h.key), treeExecutor{&tree{seed: 3}})
	r := newRunOf(h.tree, Options{Deadline: time.Now().Add(time.Second)})
	if err := h.remote.Work(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	got.Unsubscribe()
	stop()
	mu.Lock()
	defer mu.Unlock()
	if len(old) == 0 {
		t.Fatal("no results were sent")
	}
	again, err := h.other.Subscribe("heddle.work.>", func(msg *nats.Msg) {
		var o order
		if json.Unmarshal(msg.Data[ed25519.SignatureSize:], &o) == nil {
			for _, data := range old[:min(20, len(old))] {
				h.other.Publish(resultSubject(o.Run), data)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Unsubscribe()
	h.other.Flush()
	h.serve(Invite(h.key), treeExecutor{h.tree})
	h.explore()
	h.wantNote("not signed by a worker that was invited")
}

// Of thousands of meaningless messages none counts, and none is kept.
func TestFlood(t *testing.T) {
	h := newHostile(t)
	_, err := h.other.Subscribe("heddle.work.>", func(msg *nats.Msg) {
		var o order
		if text, err := openOrder(h.key.Public().(ed25519.PublicKey), msg.Data); err != nil ||
			json.Unmarshal(text, &o) != nil {
			return
		}
		for i := range 100 {
			junk := make([]byte, i*17)
			for _, to := range []string{resultSubject(o.Run), onSubject(o.Run), hereSubject(Public(h.key)),
				hurrySubject(o.Run), workSubject(Public(h.key), o.Run)} {
				if to != workSubject(Public(h.key), o.Run) || i == 0 {
					h.other.Publish(to, junk)
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	h.other.Flush()
	h.serve(Invite(h.key), treeExecutor{h.tree})
	h.explore()
	h.remote.mu.Lock()
	there := len(h.remote.there)
	h.remote.mu.Unlock()
	if there != 1 {
		t.Errorf("%d workers are taken to be there, want 1", there)
	}
}

// A worker with another secret is ignored.
func TestUninvited(t *testing.T) {
	h := newHostile(t)
	v := Invite(h.key)
	v.Secret = make([]byte, secretSize)
	h.serve(v, treeExecutor{h.tree})
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	r := newRunOf(h.tree, Options{})
	if err := h.remote.Work(ctx, r, nil); err != nil {
		t.Fatal(err)
	}
	if o, _ := r.Finish(); o.Tally.Executions != 0 || o.Complete {
		t.Errorf("%d nodes visited by a worker that was not invited", o.Tally.Executions)
	}
	h.wantNote("not signed by a worker that was invited")
}

// A liar is an invited worker that says of every Item that it is done, without doing it.
type liar struct{}

func (liar) Do(_ context.Context, it *wire.Item, _ *Hurry) (*wire.Worked, *Death, error) {
	return &wire.Worked{N: it.N, Epoch: it.Epoch, Tally: wire.Tally{Executions: 1}}, nil, nil
}

func (liar) Close() {}

// The check refutes the result of a liar and confirms that of an honest worker.
func TestLiar(t *testing.T) {
	h := newHostile(t)
	stop := h.serve(Invite(h.key), liar{})
	again := func(c *Claim) error {
		w := h.tree.work(c.Item(), 1, 64)
		return c.Check(w)
	}
	r := newRunOf(h.tree, Options{})
	if err := h.remote.Work(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	claims := h.remote.Claims()
	if len(claims) == 0 {
		t.Fatal("no result of the liar is kept")
	}
	for _, c := range claims {
		if err := again(c); err == nil ||
			!strings.Contains(err.Error(), "is wrong: it reported another rest of work") {
			t.Errorf("%v, want an error that says what is wrong", err)
		}
	}
	stop()
	h.serve(Invite(h.key), treeExecutor{h.tree})
	h.explore()
	if len(h.remote.Claims()) != mostClaims {
		t.Errorf("%d results are kept, want %d", len(h.remote.Claims()), mostClaims)
	}
	for _, c := range h.remote.Claims() {
		if err := again(c); err != nil {
			t.Error(err)
		}
	}
}

func TestInvitation(t *testing.T) {
	_, key, _ := ed25519.GenerateKey(nil)
	v := Invite(key)
	w, err := ParseInvitation(v.String())
	if err != nil || w.String() != v.String() {
		t.Errorf("%v, %v", w, err)
	}
	if Invite(key).String() != v.String() || len(Token(key)) != 2*secretSize ||
		strings.Contains(v.String(), Token(key)) {
		t.Error("an invitation and a token are functions of the key, and differ")
	}
	for _, text := range []string{"", "abc", Public(key), Public(key) + ".", Public(key) + ".00",
		"." + Token(key), v.String() + ".", v.String()[1:]} {
		if _, err := ParseInvitation(text); err == nil ||
			!strings.Contains(err.Error(), "is no invitation: want 64 digits, a dot and 32 digits") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Without a host, a server of our own listens on this machine only.
func TestLoopback(t *testing.T) {
	b, err := Connect(t.Context(), Network{URL: ":0", Token: "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if !strings.HasPrefix(b.URL(), "nats://127.0.0.1:") ||
		!strings.HasPrefix(b.Invitation(), "nats://s3cret@127.0.0.1:") {
		t.Errorf("it listens at %s, invites to %s", b.URL(), b.Invitation())
	}
	reach(t, "the invitation", Network{URL: b.Invitation()}, "")
	reach(t, "without a token", Network{URL: b.URL()}, "Authorization Violation")
	w, err := Connect(t.Context(), Network{URL: "0.0.0.0:0", Token: "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if strings.Contains(w.URL(), "0.0.0.0") {
		t.Errorf("workers elsewhere do not find %s", w.URL())
	}
}

// FuzzMessage: a message from the network is opened by the receiver it is sealed for, or refused.
func FuzzMessage(f *testing.F) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	v := Invite(key)
	m := join(ed25519.NewKeyFromSeed([]byte("0123456789abcdef0123456789abcdef")), v)
	good := m.seal(kindResult, "run", []byte(`{"N":1}`))
	order := signOrder(key, []byte(`{"Job":"a","Run":"b"}`))
	name, job, err := sign(&Job{Binary: "x", Platform: Platform}, key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(order)
	f.Add(job)
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, text, err := unseal(v.Secret, kindResult, "run", data); err == nil &&
			!bytes.Equal(data, m.seal(kindResult, "run", text)) {
			t.Errorf("%q was opened", data)
		}
		for _, c := range []struct{ kind, run string }{{kindOn, "run"}, {kindResult, "ru"},
			{kindResult, "run\x00"}} {
			if _, _, err := unseal(v.Secret, c.kind, c.run, data); err == nil {
				t.Errorf("%q was opened as %q", data, c)
			}
		}
		if text, err := openOrder(v.Key, data); err == nil && !bytes.Equal(data, signOrder(key, text)) {
			t.Errorf("the order %q was opened", data)
		}
		if j, err := verify(name, data, v.Key); err == nil && j.Binary != "x" {
			t.Errorf("the job %q was taken", data)
		}
		ParseInvitation(string(data))
	})
}
