package std

// Package sync: every exported method first asks the scheduler and then performs the native
// operation with the hooks off, so that the native object and the model agree. The bodies are in
// added/sync.go.txt.
var syncPatch = &pkg{
	added: embedded("sync.go.txt"),
	files: map[string]file{
		"mutex.go": {hook: true, edits: []edit{
			guard("func (m *Mutex) Lock() {", "if _hs.Here() { if pc := _hs.CallerPC(); _hs.MutexLock(m.heddleRef(), m.heddleLocked(), pc) && !m.mu.TryLock() { m.heddleTake(pc) }; return }; m.heddleTouch()"),
			guard("func (m *Mutex) TryLock() bool {", "if _hs.Here() { return m.heddleTryLock(_hs.CallerPC()) }; m.heddleTouch()"),
			guard("func (m *Mutex) Unlock() {", "if _hs.Here() { if _hs.MutexUnlock(m.heddleRef(), m.heddleLocked(), _hs.CallerPC()) { m.mu.Unlock() }; return }"),
		}},
		"rwmutex.go": {hook: true, edits: []edit{
			guard("func (rw *RWMutex) RLock() {", "if _hs.Here() { rw.heddleRLock(_hs.CallerPC()); return }; _hs.Touch(unsafe.Pointer(rw))"),
			guard("func (rw *RWMutex) TryRLock() bool {",
				"if _hs.Here() { return rw.heddleTryRLock(_hs.CallerPC()) }"),
			guard("func (rw *RWMutex) RUnlock() {",
				"if _hs.Here() { rw.heddleRUnlock(_hs.CallerPC()); return }"),
			guard("func (rw *RWMutex) Lock() {", "if _hs.Here() { rw.heddleLock(_hs.CallerPC()); return }; _hs.Touch(unsafe.Pointer(rw))"),
			guard("func (rw *RWMutex) TryLock() bool {",
				"if _hs.Here() { return rw.heddleTryLock(_hs.CallerPC()) }"),
			guard("func (rw *RWMutex) Unlock() {",
				"if _hs.Here() { rw.heddleUnlock(_hs.CallerPC()); return }"),
			// The guard makes the method too costly to be inlined, so it needs no directive, for
			// which there is no line.
			replace("func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }",
				"func (r *rlocker) Lock()   { if _hs.Here() { (*RWMutex)(r).heddleRLock(_hs.CallerPC()); return }; (*RWMutex)(r).RLock() }"),
			replace("func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }",
				"func (r *rlocker) Unlock() { if _hs.Here() { (*RWMutex)(r).heddleRUnlock(_hs.CallerPC()); return }; (*RWMutex)(r).RUnlock() }"),
		}},
		"waitgroup.go": {hook: true, edits: []edit{
			guard("func (wg *WaitGroup) Add(delta int) {",
				"if _hs.Here() { wg.heddleAdd(delta, _hs.CallerPC()); return }"),
			guard("func (wg *WaitGroup) Done() {",
				"if _hs.Here() { wg.heddleAdd(-1, _hs.CallerPC()); return }"),
			guard("func (wg *WaitGroup) Wait() {", "if _hs.Here() { wg.heddleWait(_hs.CallerPC()); return }"),
			guard("func (wg *WaitGroup) Go(f func()) {",
				"if _hs.Here() { wg.heddleGo(f, _hs.CallerPC()); return }"),
		}},
		"cond.go": {hook: true, edits: []edit{
			// The object is identified by the goroutine and the position of its allocation, as in
			// rewritten packages.
			replace("	return &Cond{L: l}\n", "	return _hs.New(&Cond{L: l}, 0)\n"),
			guard("func (c *Cond) Wait() {", "if _hs.Here() { c.heddleWait(_hs.CallerPC()); return }"),
			guard("func (c *Cond) Signal() {", "if _hs.Here() { c.heddleSignal(_hs.CallerPC()); return }"),
			guard("func (c *Cond) Broadcast() {",
				"if _hs.Here() { c.heddleBroadcast(_hs.CallerPC()); return }"),
		}},
		"once.go": {hook: true, edits: []edit{
			guard("func (o *Once) Do(f func()) {", "if _hs.Here() { o.heddleDo(f, _hs.CallerPC()); return }"),
		}},
		// The position is that of the call. What f returns, or panics with, is kept.
		"oncefunc.go": {hook: true, edits: []edit{
			replace("	return func() {\n		d.once.Do(func() {\n", "	_hs.Var(&d, 0); return func() {\n		d.once.heddleAt(_hs.CallerPC(), func() { _hs.Remembers()\n"),
			replace("	return func() T {\n		d.once.Do(func() {\n", "	_hs.Var(&d, 0); return func() T {\n		d.once.heddleAt(_hs.CallerPC(), func() { _hs.Remembers()\n"),
			replace("	return func() (T1, T2) {\n		d.once.Do(func() {\n", "	_hs.Var(&d, 0); return func() (T1, T2) {\n		d.once.heddleAt(_hs.CallerPC(), func() { _hs.Remembers()\n"),
		}},
		"map.go": {hook: true, edits: []edit{
			guard("func (m *Map) Load(key any) (value any, ok bool) {",
				"if _hs.Here() { return m.heddleLoad(key, _hs.CallerPC()) }"),
			guard("func (m *Map) Store(key, value any) {",
				"if _hs.Here() { m.heddleStore(key, value, _hs.CallerPC()); return }"),
			guard("func (m *Map) Clear() {", "if _hs.Here() { m.heddleClear(_hs.CallerPC()); return }"),
			guard("func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {", "if _hs.Here() { return m.heddleLoadOrStore(key, value, _hs.CallerPC()) }"),
			guard("func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {",
				"if _hs.Here() { return m.heddleLoadAndDelete(key, _hs.CallerPC()) }"),
			guard("func (m *Map) Delete(key any) {",
				"if _hs.Here() { m.heddleDelete(key, _hs.CallerPC()); return }"),
			guard("func (m *Map) Swap(key, value any) (previous any, loaded bool) {",
				"if _hs.Here() { return m.heddleSwap(key, value, _hs.CallerPC()) }"),
			guard("func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {", "if _hs.Here() { return m.heddleCompareAndSwap(key, old, new, _hs.CallerPC()) }"),
			guard("func (m *Map) CompareAndDelete(key, old any) (deleted bool) {", "if _hs.Here() { return m.heddleCompareAndDelete(key, old, _hs.CallerPC()) }"),
			guard("func (m *Map) Range(f func(key, value any) bool) {",
				"if _hs.Here() { m.heddleRange(f, _hs.CallerPC()); return }"),
		}},
		"pool.go": {hook: true, edits: []edit{
			guard("func (p *Pool) Put(x any) {", "if _hs.Here() { p.heddlePut(x, _hs.CallerPC()); return }"),
			guard("func (p *Pool) Get() any {", "if _hs.Here() { return p.heddleGet(_hs.CallerPC()) }"),
		}},
	},
}
