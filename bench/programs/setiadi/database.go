package setiadi

import "sync"

// A database has a daemon that moves it from one state to the next, and transactions that branch
// on the states (Apache Derby): many branches, each affected by one variable of the daemon.
type database struct {
	mu    sync.Mutex
	pages int

	booted, frozen, backup, stale, logFull, logSwitch, checkpoint, dirty bool
}

// Database runs four transactions beside the daemon.
func Database() {
	d := new(database)
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() { d.transaction(n) })
	}
	d.daemon()
	wg.Wait()
	d.mu.Lock()
	d.pages++
	d.mu.Unlock()
}

// daemon sets every state once, and writes back the page that a transaction has changed.
func (d *database) daemon() {
	for _, state := range []*bool{&d.booted, &d.frozen, &d.backup, &d.stale, &d.logFull, &d.logSwitch,
		&d.checkpoint} {
		d.mu.Lock()
		*state = true
		d.mu.Unlock()
	}
	if d.is(&d.dirty) {
		d.touch()
	}
}

// is reads a state.
func (d *database) is(state *bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return *state
}

// touch changes a page.
func (d *database) touch() {
	d.mu.Lock()
	d.pages++
	d.mu.Unlock()
}

func (d *database) transaction(n int) {
	if n == 0 {
		d.mu.Lock()
		d.dirty = true
		d.mu.Unlock()
	}
	if d.is(&d.booted) {
		d.touch()
	}
	if d.is(&d.frozen) {
		d.touch()
	}
	if d.is(&d.backup) {
		d.touch()
	}
	if d.is(&d.stale) {
		d.touch()
	}
	if d.is(&d.logFull) {
		d.touch()
	}
	if d.is(&d.logSwitch) {
		d.touch()
	}
	if d.is(&d.checkpoint) {
		d.touch()
	}
}
