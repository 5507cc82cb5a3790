package classes

import "sync"

// A PerUserPool is V1, PerUserPoolDataSource of Apache DBCP: the settings of users are in a table
// that the first setter makes, without a lock. If a second setter makes it again, the settings in
// the first table are lost.
type PerUserPool struct {
	mu         sync.Mutex
	settings   *settings
	idle       int
	connection bool
}

type settings struct {
	users []string
	auto  []bool
}

// SetAutoCommit sets a user's default.
func (p *PerUserPool) SetAutoCommit(user string, on bool) {
	p.assertInitializationAllowed()
	if p.settings == nil {
		p.settings = new(settings)
	}
	s := p.settings
	s.users = append(s.users, user)
	s.auto = append(s.auto, on)
}

// AutoCommit returns a user's default. known is false if there is none.
func (p *PerUserPool) AutoCommit(user string) (on, known bool) {
	if p.settings == nil {
		return false, false
	}
	for i, u := range p.settings.users {
		if u == user {
			return p.settings.auto[i], true
		}
	}
	return false, false
}

// Idle returns how many connections wait.
func (p *PerUserPool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle
}

func (p *PerUserPool) assertInitializationAllowed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.connection {
		panic("the pool has given out connections already")
	}
}

// A SharedPool is V2, SharedPoolDataSource of Apache DBCP: one critical section checks that there
// is a pool, and another takes a connection from it. Close may run in between.
type SharedPool struct {
	mu     sync.Mutex
	pool   *connections
	max    int
	active int
}

type connections struct{ free []int }

// NewSharedPool returns a data source of at most max connections.
func NewSharedPool(max int) *SharedPool { return &SharedPool{max: max} }

// Get takes a connection.
func (p *SharedPool) Get() int {
	if !p.registered() {
		p.register()
	}
	c := p.borrow()
	p.mu.Lock()
	p.active++
	p.mu.Unlock()
	return c
}

func (p *SharedPool) registered() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool != nil
}

func (p *SharedPool) register() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pool = &connections{free: make([]int, p.max)}
}

func (p *SharedPool) borrow() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.pool.free[0]
	p.pool.free = p.pool.free[1:]
	return c
}

// SetMax sets the number of connections of the next pool.
func (p *SharedPool) SetMax(n int) {
	p.mu.Lock()
	p.max = n
	p.mu.Unlock()
}

// Close discards the pool.
func (p *SharedPool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pool = nil
	p.active = 0
}
