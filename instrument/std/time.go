package std

// Package time: the scheduler provides the clock, Sleep and timers of a goroutine under test.
// Timers have the memory layout of real ones, stopped, so that native code may hold them. The
// bodies are in added/time.go.txt.
var timePatch = &pkg{
	added: embedded("time.go.txt"),
	files: map[string]file{
		"time.go": {edits: []edit{
			replace("return subMono(runtimeNano()-startNano, t.ext)",
				"return subMono(heddleNano()-startNano, t.ext)"),
			replace("return subMono(t.ext, runtimeNano()-startNano)",
				"return subMono(t.ext, heddleNano()-startNano)"),
			replace("	sec, nsec, mono := runtimeNow()\n", "	sec, nsec, mono := heddleNow()\n"),
		}},
		"sleep.go": {hook: true, edits: []edit{
			replace("// A negative or zero duration causes Sleep to return immediately.\nfunc Sleep(d Duration)\n", "//go:noinline\nfunc Sleep(d Duration) { if _hs.Here() { heddleSleep(d, _hs.CallerPC()); return }; heddleNativeSleep(d) }\n"),
			replace("		return runtimeNano()\n", "		return heddleArming()\n"),
			replace("	t := runtimeNano() + int64(d)\n", "	t := heddleArming() + int64(d)\n"),
			guard("func (t *Timer) Stop() bool {", "if t.initTimer && _hs.Here() { return heddleStop(t, _hs.CallerPC()) }"),
			guard("func NewTimer(d Duration) *Timer {",
				"if _hs.Here() { return heddleNewTimer(d, _hs.CallerPC()) }"),
			guard("func (t *Timer) Reset(d Duration) bool {", "if t.initTimer && _hs.Here() { return heddleReset(t, when(d), 0, _hs.CallerPC()) }"),
			guard("func After(d Duration) <-chan Time {",
				"if _hs.Here() { return heddleNewTimer(d, _hs.CallerPC()).C }"),
			guard("func AfterFunc(d Duration, f func()) *Timer {",
				"if _hs.Here() { return heddleAfterFunc(d, f, _hs.CallerPC()) }"),
		}},
		"tick.go": {hook: true, edits: []edit{
			guard("func NewTicker(d Duration) *Ticker {",
				"if d > 0 && _hs.Here() { return heddleNewTicker(d, _hs.CallerPC()) }"),
			guard("func (t *Ticker) Stop() {", "if t.initTicker && _hs.Here() { heddleStop((*Timer)(unsafe.Pointer(t)), _hs.CallerPC()); return }"),
			guard("func (t *Ticker) Reset(d Duration) {", "if t.initTicker && d > 0 && _hs.Here() { heddleReset((*Timer)(unsafe.Pointer(t)), when(d), int64(d), _hs.CallerPC()); return }"),
			guard("func Tick(d Duration) <-chan Time {", "if d > 0 && _hs.Here() { return heddleNewTicker(d, _hs.CallerPC()).C }"),
		}},
	},
}
