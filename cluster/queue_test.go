package cluster

import (
	"context"
	"crypto/ed25519"
	"net"
	"os"
	"path/filepath"
	"testing"

	"heddle/rt/wire"
)

// treeExecutor visits one node for an Item.
type treeExecutor struct{ *tree }

func (x treeExecutor) Do(_ context.Context, it *wire.Item, _ *Hurry) (*wire.Worked, *Death, error) {
	return x.work(it, 1, 64), nil, nil
}

func (treeExecutor) Close() {}

// BenchmarkQueue measures an Item without work: handed out by one process, fetched by another, its
// result returned and counted, over a NATS server of our own.
func BenchmarkQueue(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	bus, err := Connect(ctx, Network{URL: address})
	if err != nil {
		b.Fatal(err)
	}
	defer bus.Close()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		b.Fatal(err)
	}
	binary, content := filepath.Join(b.TempDir(), "binary"), []byte("never run")
	if err := os.WriteFile(binary, content, 0o600); err != nil {
		b.Fatal(err)
	}
	m, err := bus.Offer(ctx, key, &Job{Binary: hash(content), Platform: Platform}, binary)
	if err != nil {
		b.Fatal(err)
	}
	worker, err := Connect(ctx, Network{URL: bus.URL()})
	if err != nil {
		b.Fatal(err)
	}
	defer worker.Close()
	t := &tree{seed: 1}
	served := make(chan error)
	go func() {
		served <- worker.Serve(ctx,
			Service{Trust: []Invitation{Invite(key)}, Slots: 2, Dir: b.TempDir(), Note: func(string) {},
				Start: func(*Job, string) Executor { return treeExecutor{t} }})
	}()
	want, _ := t.whole()
	items := 0
	for b.Loop() {
		r := newRunOf(t, Options{Count: func(*wire.Worked, bool) { items++ }})
		if err := m.Work(ctx, r, nil); err != nil {
			b.Fatal(err)
		}
		o, err := r.Finish()
		if err != nil || o.Tally.Executions != want.Executions {
			b.Fatalf("%d nodes visited, want %d; %v", o.Tally.Executions, want.Executions, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(items), "µs/item")
	cancel()
	if err := <-served; err != nil {
		b.Error(err)
	}
}
