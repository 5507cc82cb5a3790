package cluster

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"heddle/rt/wire"
)

// A Death says how a worker's process ended during an Item.
type Death struct {
	Why      string
	Output   string
	Crash    wire.CrashInfo
	Trace    []byte   `json:",omitempty"` // of the execution, if known
	Input    []string `json:",omitempty"` // input of the execution
	Stalled  bool     `json:",omitempty"`
	Looped   bool     `json:",omitempty"`
	TimedOut bool     `json:",omitempty"`
}

// A reply is a worker's answer.
type reply struct {
	N, Epoch int
	Worked   *wire.Worked `json:",omitempty"`
	Death    *Death       `json:",omitempty"`
	Missing  bool         `json:",omitempty"` // the binary cannot be fetched: a server lost it
}

// A Remote is a package's Job on a Bus: workers on other machines do its Items.
type Remote struct {
	bus    *Bus
	key    ed25519.PrivateKey
	job    string
	signed []byte
	binary string // path of the binary, and its name on other machines
	name   string

	// Read, if not nil, receives every message of a worker before it is parsed.
	Read func([]byte) []byte
	// Note, if not nil, receives notes for the user.
	Note func(string)

	run    string
	secret []byte // of invited workers

	restored time.Time // time of the last restore

	mu    sync.Mutex
	there map[string]time.Time // by worker: when it was last heard of
	slots map[string]int
	asked map[working]*asked

	dropped int // number of messages that were not from invited workers
	claims  claims
}

// An asked is an Item that was handed out.
type asked struct {
	it    *wire.Item
	sign  time.Time // last sign of life from its worker
	reply chan struct{}
}

// Offer stores a Job and its binary for workers to fetch.
func (b *Bus) Offer(ctx context.Context, key ed25519.PrivateKey, j *Job, binary string) (*Remote, error) {
	name, data, err := sign(j, key)
	if err != nil {
		return nil, err
	}
	m := &Remote{bus: b, key: key, secret: Invite(key).Secret, job: name, signed: data, binary: binary,
		name: j.Binary}
	return m, m.put(ctx, false)
}

// put stores the Job, and the binary unless it is stored. again: also if it seems to be stored.
func (m *Remote) put(ctx context.Context, again bool) error {
	content, err := os.ReadFile(m.binary)
	if err != nil {
		return err
	}
	return m.bus.insist(ctx, func(ctx context.Context) error {
		store, err := m.bus.object(ctx)
		if err != nil {
			return err
		}
		_, err = store.GetInfo(ctx, m.name)
		if again || errors.Is(err, jetstream.ErrObjectNotFound) {
			_, err = store.PutBytes(ctx, m.name, content)
		}
		if err == nil {
			_, err = store.PutBytes(ctx, m.job, m.signed)
		}
		return err
	})
}

// ahead is the number of Items for each slot of a worker: one in work and one waiting.
const ahead = 2

// Work lets workers do r's Items until nothing is left. died is called for processes that ended,
// and reports whether the Item goes to another worker.
func (m *Remote) Work(ctx context.Context, r *Run, died func(*wire.Item, *Death) (again bool)) error {
	var id [8]byte
	rand.Read(id[:])
	m.run = hex.EncodeToString(id[:])
	m.claims.kept, m.claims.seen = nil, 0
	m.there, m.slots, m.asked = make(map[string]time.Time), make(map[string]int), make(map[working]*asked)
	here, err := m.bus.nc.Subscribe(hereSubject(Public(m.key)), m.heard)
	if err != nil {
		return err
	}
	defer here.Unsubscribe()
	on, err := m.bus.nc.Subscribe(onSubject(m.run), m.alive)
	if err != nil {
		return err
	}
	defer on.Unsubscribe()
	m.bus.nc.Publish(callSubject(Public(m.key)), nil)
	work, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { m.results(work, r, died) })
	lanes := 0
	ended := make(chan struct{}, 1)
	for tick := time.NewTicker(50 * time.Millisecond); !r.Over() && ctx.Err() == nil; {
		for want := m.capacity(); lanes < want; lanes++ {
			wg.Go(func() {
				m.lane(work, r, died)
				ended <- struct{}{}
			})
		}
		select {
		case <-tick.C:
		case <-ended:
			lanes--
		}
	}
	m.settle(ctx, r, &lanes, ended)
	cancel()
	go func() { // lanes may still want to report their end
		for range ended {
		}
	}()
	wg.Wait()
	close(ended)
	m.clear()
	return nil
}

// settle waits a while for the Items in work, if their results could still add something.
func (m *Remote) settle(ctx context.Context, r *Run, lanes *int, ended chan struct{}) {
	over := time.After(3 * time.Second)
	for *lanes > 0 && !r.Done() {
		select {
		case <-over:
			return
		case <-ended:
			*lanes--
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// clear removes the data of this run from the server.
func (m *Remote) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s, err := m.bus.js.Stream(ctx, workStream); err == nil {
		s.Purge(ctx, jetstream.WithPurgeSubject(workSubject(Public(m.key), m.run)))
	}
	if s, err := m.bus.js.Stream(ctx, resultStream); err == nil {
		s.Purge(ctx, jetstream.WithPurgeSubject(resultSubject(m.run)))
		s.DeleteConsumer(ctx, m.run)
	}
}

// open returns the text of a message if an invited worker has sealed it.
func (m *Remote) open(kind, run string, data []byte) (worker string, text []byte, ok bool) {
	worker, text, err := unseal(m.secret, kind, run, data)
	if err != nil {
		m.mu.Lock()
		m.dropped++
		first := m.dropped == 1
		m.mu.Unlock()
		if first && m.Note != nil {
			m.Note(err.Error() + ": it is dropped, and so are others like it")
		}
	}
	return worker, text, err == nil
}

// heard records an announcement of a worker.
func (m *Remote) heard(msg *nats.Msg) {
	_, text, ok := m.open(kindHere, Public(m.key), msg.Data)
	var h here
	if ok && json.Unmarshal(text, &h) == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.there[h.ID], m.slots[h.ID] = time.Now(), h.Slots
	}
}

// alive records that a worker works on an Item.
func (m *Remote) alive(msg *nats.Msg) {
	_, text, ok := m.open(kindOn, m.run, msg.Data)
	var w working
	if ok && json.Unmarshal(text, &w) == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if a := m.asked[w]; a != nil {
			a.sign = time.Now()
		}
	}
}

// capacity returns how many Items the workers can have.
func (m *Remote) capacity() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, last := range m.there {
		if time.Since(last) < m.bus.net.lease() {
			n += ahead * m.slots[id]
		}
	}
	return n
}

// Workers returns the number of slots of workers on other machines that were heard of lately.
func (m *Remote) Workers() int { return m.capacity() / ahead }

// lane hands out one Item after the other as long as there are workers.
func (m *Remote) lane(ctx context.Context, r *Run, died func(*wire.Item, *Death) bool) {
	for m.capacity() > 0 {
		h := new(Hurry)
		it := r.Next(h.Now)
		if it == nil {
			return
		}
		if !m.ask(ctx, r, it, h) {
			r.Back(it)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// ask hands out an Item and waits until its result was taken. It returns false if the Item must be
// handed out again.
func (m *Remote) ask(ctx context.Context, r *Run, it *wire.Item, h *Hurry) bool {
	w := working{it.N, it.Epoch}
	a := &asked{it: it, sign: time.Now(), reply: make(chan struct{})}
	m.mu.Lock()
	m.asked[w] = a
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.asked[w] == a {
			delete(m.asked, w)
		}
	}()
	item, err := json.Marshal(it)
	if err != nil {
		return false
	}
	text, err := json.Marshal(&order{Job: m.job, Run: m.run, Item: item})
	if err != nil {
		return false
	}
	data := signOrder(m.key, text)
	var at uint64
	if err := m.bus.insist(ctx, func(ctx context.Context) error {
		ack, err := m.bus.js.Publish(ctx, workSubject(Public(m.key), m.run), data)
		if err == nil {
			at = ack.Sequence
		}
		return err
	}); err != nil {
		return false
	}
	asks, _ := json.Marshal(w)
	h.To(func() { m.bus.nc.Publish(hurrySubject(m.run), asks) })
	defer h.To(func() {})
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-a.reply:
			return true
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		m.mu.Lock()
		lost := time.Since(a.sign) > 3*m.bus.net.lease()
		m.mu.Unlock()
		if lost || r.Done() { // the result may still come, and counts if it is the first
			if s, err := m.bus.js.Stream(ctx, workStream); err == nil {
				s.DeleteMsg(ctx, at)
			}
			return false
		}
	}
}

// results receives the results of workers.
func (m *Remote) results(ctx context.Context, r *Run, died func(*wire.Item, *Death) bool) {
	for ctx.Err() == nil {
		c, err := m.bus.js.CreateOrUpdateConsumer(ctx, resultStream,
			jetstream.ConsumerConfig{Durable: m.run, FilterSubject: resultSubject(m.run),
				AckPolicy: jetstream.AckExplicitPolicy,
				AckWait:   m.bus.net.lease(), MaxAckPending: -1, InactiveThreshold: keep})
		if errors.Is(err, jetstream.ErrStreamNotFound) { // a server lost its data
			err = m.bus.open(ctx)
		}
		if err != nil {
			pause(ctx)
			continue
		}
		it, err := c.Messages(jetstream.PullExpiry(2 * time.Second))
		if err != nil {
			pause(ctx)
			continue
		}
		stop := context.AfterFunc(ctx, it.Stop)
		for {
			msg, err := it.Next()
			if err != nil {
				break
			}
			m.take(ctx, r, msg.Data(), died)
			msg.Ack() // if the Ack is lost the result comes again, without harm
		}
		stop()
		it.Stop()
	}
}

func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(100 * time.Millisecond):
	}
}

// restore stores again what a worker could not fetch, unless that was done a moment ago.
func (m *Remote) restore(ctx context.Context) {
	if time.Since(m.restored) > 2*fetching {
		m.restored = time.Now()
		go m.put(ctx, true) // the only error is ctx's
	}
}

// take takes one result.
func (m *Remote) take(ctx context.Context, r *Run, data []byte, died func(*wire.Item, *Death) bool) {
	worker, data, ok := m.open(kindResult, m.run, data)
	if !ok {
		return
	}
	if m.Read != nil {
		data = m.Read(data)
	}
	var p reply
	if json.Unmarshal(data, &p) != nil {
		return
	}
	w := working{p.N, p.Epoch}
	m.mu.Lock()
	a := m.asked[w]
	delete(m.asked, w)
	m.mu.Unlock()
	var it *wire.Item
	if a != nil {
		it = a.it
		defer close(a.reply)
	}
	switch {
	case p.Worked != nil:
		m.claims.add(worker, it, p.Worked)
		r.Take(it, p.Worked)
	case p.Missing:
		if m.restore(ctx); it != nil {
			r.Back(it)
		}
	case p.Death != nil && it != nil:
		r.Back(it)
		if !died(it, p.Death) {
			r.Stop()
		}
	}
}
