package std

import "slices"

// slower is what is lost without edits that save a short execution a third of its time.
const slower = "short executions take longer"

// Package testing: M.Run hands its tests to heddlert/drive when that has a
// Config. The rest lets one test run again and again in a goroutine under
// test: see added/testing.go.txt.
var testingPatch = &pkg{
	added: embedded("testing.go.txt"),
	files: map[string]file{
		"testing.go": {edits: []edit{
			replace("	defer m.after()\n", "	defer m.after(); if c, ok := heddleRun(m); ok { m.exitCode = c; return }\n"),
			replace("	registerCover(deps.InitRuntimeCoverage())\n", "	heddleInitialised(); registerCover(deps.InitRuntimeCoverage())\n"),
			// A top-level test has no parent to wait for; its root has no barrier.
			replace("	if t.parent.barrier == nil {\n", "	if t.parent.barrier == nil { heddleParallel(t)\n"),
			// The cancellation of a context that the test never asked for is nobody's business, and six steps; so is the making of one that it asks for.
			replace("	cancelCtx context.CancelFunc\n}", "	cancelCtx context.CancelFunc; heddleCtx, heddleCleaned bool\n}"),
			replace("func (c *common) Context() context.Context {\n", "func (c *common) Context() context.Context { c.heddleContext()\n"),
			replace("	if c.cancelCtx != nil {\n", "	if c.cancelCtx != nil && (c.heddleCtx || !heddleActive) {\n"),
			// A passing test prints nothing without -v: do not print its duration first.
			replace("	dstr := fmtDuration(t.duration)\n	format := \"--- %s: %s (%s)\\n\"\n	if t.Failed() {\n		t.flush", "	if heddleActive && !heddleVerbose() && !t.failed { return }; dstr := fmtDuration(t.duration)\n	format := \"--- %s: %s (%s)\\n\"\n	if t.Failed() {\n		t.flush"),
			// Bookkeeping that nobody looks at here, and that would cost a third of a short execution: which tests
			// run (for a time-out's message), what go test -race found, what tRunner is called.
			optional(slower, replace("	running sync.Map // map", "	running heddleRunning // map")),
			optional(slower, replace("func (c *common) resetRaces() {\n", "func (c *common) resetRaces() { if heddleActive { return }\n")),
			optional(slower, replace("func (c *common) checkRaces() (raceErrors int64) {\n", "func (c *common) checkRaces() (raceErrors int64) { if heddleActive { return 0 }\n")),
			replace("	t.runner = callerName(0)\n\n	// When this goroutine is done, either because fn(t)", "	t.runner = heddleRunner()\n\n	// When this goroutine is done, either because fn(t)"),
			// The end of a test that has no cleanups and no output to flush: Failed is called first and orders the
			// test after those who used it; what follows would order nobody with anybody, in two dozen operations.
			// Who says that a test fails, and where.
			replace("func (c *common) Fail() {\n", "func (c *common) Fail() { heddleFails()\n"),
			replace("func (c *common) setRan() {\n", "func (c *common) setRan() { if heddleActive { return }\n"),
			replace("	if !c.done && int64(race.Errors())", "	if !heddleActive && !c.done && int64(race.Errors())"),
			replace("func (c *common) runCleanup(ph panicHandling) (panicVal any) {\n", "func (c *common) runCleanup(ph panicHandling) (panicVal any) { if c.heddleClean() { return nil }\n"),
			replace("		c.mu.Unlock()\n\n		f()\n", "		c.mu.Unlock()\n\n		heddleGiven(f)\n"),
			replace("func (c *common) flushPartial() {\n", "func (c *common) flushPartial() { if heddleActive && (c.o == nil || len(c.o.partial) == 0) { return }\n"),
			// Goroutines that an execution left behind end by Goexit; that is no fault of theirs.
			replace("		t.mu.RLock()\n		finished := t.finished\n		t.mu.RUnlock()\n		if !finished && err == nil {\n",
				"		if !heddleActive { t.mu.RLock() }\n		finished := t.finished\n		if !heddleActive { t.mu.RUnlock() }\n		if !finished && err == nil && !heddleOver {\n"),
			replace("	// code beyond here will not be executed when FailNow is invoked\n	t.mu.Lock()\n	t.finished = true\n",
				"	// code beyond here will not be executed when FailNow is invoked\n	if heddleActive { t.finished = true; return }; t.mu.Lock()\n	t.finished = true\n"),
			replace("	if t.parent != nil && !t.hasSub.Load() {\n", "	if !heddleActive && t.parent != nil && !t.hasSub.Load() {\n"),
			replace("			t.signal <- signal\n", "			if t.signal != nil { t.signal <- signal }\n"), // nil: top-level, under drive
			// What heddleRoot leaves out until it is asked for.
			replace("	t.hasSub.Store(true)\n	testName, ok,", "	t.hasSub.Store(true); t.heddleBarrier()\n	testName, ok,"),
			replace("	s.numWaiting++\n", "	s.numWaiting++; s.heddleStart()\n"),
			// Without a chattyPrinter -v still shows the logs of tests that passed.
			replace("	} else if t.chatty != nil {\n", "	} else if t.chatty != nil || heddleVerbose() {\n"),
		}},
		"match.go": {edits: []edit{
			replace("	base := parent + \"/\" + subname\n", "	base := parent + \"/\" + subname; if m.subNames == nil { m.subNames = map[string]int32{} }\n"),
		}},
		"fuzz.go": {edits: []edit{
			replace("			if !f.finished && !f.skipped && !f.failed {\n", "			if !f.finished && !f.skipped && !f.failed && !heddleOver {\n"),
			replace("	} else if f.chatty != nil {\n", "	} else if f.chatty != nil || heddleVerbose() {\n"),
			// As in T.Run: with a room for it, whoever waits takes it in a step of its own.
			replace("				barrier:   make(chan bool),\n				signal:    make(chan bool),\n", "				barrier:   make(chan bool),\n				signal:    make(chan bool, 1),\n"),
			// One input in place of the corpus, whose values heddle follows.
			replace("		for _, e := range f.corpus {\n			name :=", "		for _, e := range f.heddleCorpus(types) {\n			name :="),
			replace("			if _, ok, _ := f.tstate.match.fullName(nil, name); ok {\n", "			if _, ok, _ := f.tstate.match.fullName(nil, name); ok || heddleInput() {\n"),
			replace("			fn.Call(args)\n", "			fn.Call(heddleArguments(args))\n"),
		}},
	},
}

// Package testing/synctest: under control all of an execution is a bubble already.
var synctestPatch = &pkg{
	added: embedded("synctest.go.txt"),
	files: map[string]file{
		"synctest.go": {hook: true, edits: slices.Concat(since("go1.27",
			guard("func Sleep(d time.Duration) {", "if _hs.Here() { pc := _hs.CallerPC(); _hs.Sleep(int64(d), pc); _hs.Idle(pc); return }"),
		), []edit{
			guard("func Test(t *testing.T, f func(*testing.T)) {", "if _hs.Here() { if !heddleTest(t, f, _hs.CallerPC()) { t.FailNow() }; return }"),
			guard("func Wait() {", "if _hs.Here() { _hs.Idle(_hs.CallerPC()); return }"),
		})},
	},
}
