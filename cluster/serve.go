package cluster

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"heddle/rt/wire"
)

// An Executor does the Items of a Job, one at a time.
type Executor interface {
	// Do returns the result of the Item, or how its process ended. The error says why this worker
	// cannot do it.
	Do(ctx context.Context, it *wire.Item, h *Hurry) (*wire.Worked, *Death, error)
	Close()
}

// A Service configures a worker.
type Service struct {
	Trust []Invitation // coordinators whose binaries it runs
	Slots int          // number of concurrent Items
	Dir   string       // for binaries
	// Start returns an Executor for a Job whose binary is in a file.
	Start func(j *Job, binary string) Executor
	Note  func(string)
}

// A servant is a worker that serves coordinators on a bus.
type servant struct {
	Service
	bus   *Bus
	id    string
	key   ed25519.PrivateKey // signs results
	slots chan struct{}

	mu      sync.Mutex
	jobs    map[string]*Job
	paths   map[string]string // paths of binaries by hash
	idle    map[string][]Executor
	runs    map[string]*nats.Subscription // by run: the subscription to its requests to hurry
	hurries map[string]map[working]*Hurry
}

// Serve works for the coordinators on the bus until ctx is done.
func (b *Bus) Serve(ctx context.Context, s Service) error {
	key, err := newWorkerKey()
	if err != nil {
		return err
	}
	v := &servant{Service: s, bus: b, id: hex.EncodeToString(key.Public().(ed25519.PublicKey)[:8]), key: key,
		slots: make(chan struct{}, s.Slots), jobs: make(map[string]*Job), paths: make(map[string]string),
		idle: make(map[string][]Executor), runs: make(map[string]*nats.Subscription),
		hurries: make(map[string]map[working]*Hurry)}
	var wg sync.WaitGroup
	for _, by := range s.Trust {
		c := &client{by.Key, hex.EncodeToString(by.Key), join(key, by)}
		wg.Go(func() { v.present(ctx, c) })
		for range s.Slots {
			wg.Go(func() { v.pull(ctx, c) })
		}
	}
	wg.Wait()
	for _, xs := range v.idle {
		for _, x := range xs {
			x.Close()
		}
	}
	return nil
}

// A client is a coordinator as its worker knows it.
type client struct {
	key  ed25519.PublicKey
	name string // of the key
	as   *member
}

// present announces the worker.
func (v *servant) present(ctx context.Context, c *client) {
	text, _ := json.Marshal(&here{v.id, v.Slots})
	name, data := c.name, c.as.seal(kindHere, c.name, text)
	calls, err := v.bus.nc.Subscribe(callSubject(name),
		func(*nats.Msg) { v.bus.nc.Publish(hereSubject(name), data) })
	if err == nil {
		defer calls.Unsubscribe()
	}
	for tick := time.NewTicker(min(time.Second, v.bus.net.lease()/4)); ; {
		v.bus.nc.Publish(hereSubject(name), data)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// pull takes one Item after the other.
func (v *servant) pull(ctx context.Context, by *client) {
	name := by.name
	for ctx.Err() == nil {
		c, err := v.bus.js.CreateOrUpdateConsumer(ctx, workStream,
			jetstream.ConsumerConfig{Durable: "workers-" + name[:16] + "-" + Platform,
				FilterSubject: workFilter(name),
				AckPolicy:     jetstream.AckExplicitPolicy, AckWait: v.bus.net.lease(), MaxAckPending: -1})
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			err = v.bus.open(ctx)
		}
		if err != nil {
			pause(ctx)
			continue
		}
		it, err := c.Messages(jetstream.PullMaxMessages(1), jetstream.PullExpiry(2*time.Second))
		if err != nil {
			pause(ctx)
			continue
		}
		drained, give := context.WithCancel(context.WithoutCancel(ctx))
		stop := context.AfterFunc(ctx, func() {
			it.Drain() // Stop would leave fetched Items unavailable for a while
			time.AfterFunc(draining, give)
		})
		for {
			msg, err := it.Next(jetstream.NextContext(drained))
			if err != nil {
				break
			}
			if ctx.Err() != nil {
				msg.Nak()
				continue
			}
			v.slots <- struct{}{}
			v.handle(ctx, by, msg)
			<-v.slots
		}
		stop()
		give()
		it.Stop()
	}
}

// draining is how long an ending worker waits for fetched Items: the server may be gone.
const draining = time.Second

// handle does the Item of a message and returns its result.
func (v *servant) handle(ctx context.Context, by *client, msg jetstream.Msg) {
	var o order
	it := new(wire.Item)
	text, err := openOrder(by.key, msg.Data())
	if err != nil { // and would be the next time
		v.Note(err.Error())
		msg.Term()
		return
	}
	if json.Unmarshal(text, &o) != nil || json.Unmarshal(o.Item, it) != nil {
		v.Note("an order cannot be read: this worker and the command are of different versions of heddle")
		msg.Term()
		return
	}
	w := working{it.N, it.Epoch}
	h := v.listen(o.Run, w)
	defer v.unlisten(o.Run, w)
	busy, done := context.WithCancel(ctx)
	go v.beat(busy, by, &o, w, msg)
	defer done()
	p := &reply{N: it.N, Epoch: it.Epoch}
	x, err := v.executor(ctx, o.Job, by.key)
	if err == nil {
		p.Worked, p.Death, err = x.Do(ctx, it, h)
		if err == nil && p.Death == nil {
			v.put(x)
		} else {
			x.Close()
		}
	}
	if errors.Is(err, errMissing) && ctx.Err() == nil {
		v.Note(err.Error())
		p.Missing, err = true, nil
	}
	if errors.Is(err, ErrUntrusted) { // and would be the next time
		v.Note(err.Error())
		msg.Term()
		return
	}
	if err != nil {
		if ctx.Err() == nil {
			v.Note(err.Error())
			pause(ctx)
		}
		msg.NakWithDelay(time.Second)
		return
	}
	data, err := json.Marshal(p)
	if err != nil {
		v.Note(err.Error())
		return
	}
	sealed := by.as.seal(kindResult, o.Run, data)
	err = v.bus.insist(ctx, func(ctx context.Context) error {
		_, err := v.bus.js.Publish(ctx, resultSubject(o.Run), sealed)
		return err
	})
	if err != nil {
		v.Note(fmt.Sprintf("a result cannot be sent: %v", err))
		return
	}
	// The Item is done only once its result is stored. If this is lost it is done again, without
	// harm.
	ack, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	msg.DoubleAck(ack)
}

// beat announces periodically that the Item is in work.
func (v *servant) beat(ctx context.Context, by *client, o *order, w working, msg jetstream.Msg) {
	text, _ := json.Marshal(w)
	data := by.as.seal(kindOn, o.Run, text)
	tick := time.NewTicker(v.bus.net.lease() / 4)
	defer tick.Stop()
	for {
		v.bus.nc.Publish(onSubject(o.Run), data)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			msg.InProgress()
		}
	}
}

// listen returns the Hurry of an Item, which may be wanted back already.
func (v *servant) listen(run string, w working) *Hurry {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.runs[run] == nil {
		v.hurries[run] = make(map[working]*Hurry)
		v.runs[run], _ = v.bus.nc.Subscribe(hurrySubject(run), func(msg *nats.Msg) {
			var w working
			if json.Unmarshal(msg.Data, &w) == nil {
				v.hurry(run, w).Now()
			}
		})
	}
	return v.hurryOf(run, w)
}

func (v *servant) hurry(run string, w working) *Hurry {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.hurryOf(run, w)
}

// mostHurries bounds the memory for Items that went to other workers.
const mostHurries = 10_000

func (v *servant) hurryOf(run string, w working) *Hurry {
	hs := v.hurries[run]
	if len(hs) > mostHurries {
		clear(hs)
	}
	if hs[w] == nil {
		hs[w] = new(Hurry)
	}
	return hs[w]
}

func (v *servant) unlisten(run string, w working) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.hurries[run], w)
}

// executor returns an Executor for a Job that key has signed.
func (v *servant) executor(ctx context.Context, name string, key ed25519.PublicKey) (Executor, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	id := name + hex.EncodeToString(key)
	if xs := v.idle[id]; len(xs) > 0 {
		v.idle[id] = xs[:len(xs)-1]
		return xs[len(xs)-1], nil
	}
	j := v.jobs[id]
	if j == nil {
		data, err := v.bus.fetch(ctx, name)
		if err != nil {
			return nil, err
		}
		if j, err = verify(name, data, key); err != nil {
			return nil, err
		}
		v.jobs[id] = j
	}
	if v.paths[j.Binary] == "" {
		data, err := v.bus.fetch(ctx, j.Binary)
		if err != nil {
			return nil, err
		}
		if hash(data) != j.Binary {
			return nil, fmt.Errorf("the binary %s has another content than its name says", j.Binary)
		}
		// the file stays within dir
		dir, name := filepath.Join(v.Dir, j.Binary), filepath.Base(filepath.Join("/", j.Name))
		if name == string(filepath.Separator) {
			name = "test"
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, data, 0o700); err != nil {
			return nil, err
		}
		v.paths[j.Binary] = path
	}
	return namedExecutor{v.Start(j, v.paths[j.Binary]), id}, nil
}

// A namedExecutor knows the name of its Job.
type namedExecutor struct {
	Executor
	id string
}

func (v *servant) put(x Executor) {
	v.mu.Lock()
	defer v.mu.Unlock()
	id := x.(namedExecutor).id
	v.idle[id] = append(v.idle[id], x)
}

// fetching bounds the time to fetch what an Item needs.
const fetching = 20 * time.Second

// mostBinary is the largest size of a test binary in bytes.
const mostBinary = 1 << 30

// errMissing is the error for a Job or binary that cannot be fetched.
var errMissing = errors.New("the server has lost the job or its binary")

// fetch returns the object with a name. It waits for a while if it does not exist.
func (b *Bus) fetch(ctx context.Context, name string) (data []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetching)
	defer cancel()
	var huge error
	err = b.insist(ctx, func(ctx context.Context) error {
		store, err := b.object(ctx)
		if err != nil {
			return err
		}
		info, err := store.GetInfo(ctx, name)
		if err == nil && info.Size > mostBinary {
			huge = fmt.Errorf("%s has %d bytes, more than the %d that a worker takes", name, info.Size,
				int64(mostBinary))
			return nil
		}
		if err == nil {
			data, err = store.GetBytes(ctx, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errMissing, err)
	}
	return data, huge
}
