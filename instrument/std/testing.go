package std

import "slices"

// slower is what is lost without edits that save a third of the time of a short execution.
const slower = "short executions take longer"

// Package testing: M.Run hands its tests to heddlert/drive if that has a Config. The other edits
// let one test run again and again in a goroutine under test: see added/testing.go.txt.
var testingPatch = &pkg{
	added: embedded("testing.go.txt"),
	files: map[string]file{
		"testing.go": {edits: []edit{
			replace("	defer m.after()\n", "	defer m.after(); if c, ok := heddleRun(m); ok { m.exitCode = c; return }\n"),
			replace("	registerCover(deps.InitRuntimeCoverage())\n",
				"	heddleInitialised(); registerCover(deps.InitRuntimeCoverage())\n"),
			replace("	return fmt.Sprintf(\"%.2fs\", d.Seconds())\n", // it is made for every execution
				"	return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + \"s\"\n"),
			// A top-level test has no parent to wait for; its root has no barrier.
			replace("	if t.parent.barrier == nil {\n",
				"	if t.parent.barrier == nil { heddleParallel(t)\n"),
			// If the test never asked for its context, cancelling it would cost six steps that
			// have no effect. Making a context is not observed either.
			replace("	cancelCtx context.CancelFunc\n}",
				"	cancelCtx context.CancelFunc; heddleCtx, heddleCleaned bool; heddleG uintptr\n}"),
			replace("func (c *common) Context() context.Context {\n",
				"func (c *common) Context() context.Context { c.heddleContext()\n"),
			replace("	if c.cancelCtx != nil {\n",
				"	if c.cancelCtx != nil && (c.heddleCtx || !heddleActive) {\n"),
			// A passing test prints nothing without -v, so its duration is not formatted.
			replace("	dstr := fmtDuration(t.duration)\n	format := \"--- %s: %s (%s)\\n\"\n	if t.Failed() {\n		t.flush", "	if heddleActive && !heddleVerbose() && !t.failed { return }; dstr := fmtDuration(t.duration)\n	format := \"--- %s: %s (%s)\\n\"\n	if t.Failed() {\n		t.flush"),
			// Bookkeeping without use here, which would take a third of a short execution: the
			// running tests (for the message of a time-out), races found by go test -race, the
			// name of tRunner.
			optional(slower, replace("	running sync.Map // map", "	running heddleRunning // map")),
			optional(slower,
				replace("func (c *common) resetRaces() {\n",
					"func (c *common) resetRaces() { if heddleActive { return }\n")),
			optional(slower, replace("func (c *common) checkRaces() (raceErrors int64) {\n", "func (c *common) checkRaces() (raceErrors int64) { if heddleActive { return 0 }\n")),
			replace("	t.runner = callerName(0)\n\n	// When this goroutine is done, either because fn(t)", "	t.runner = heddleRunner(&t.common)\n\n	// When this goroutine is done, either because fn(t)"),
			// The end of a test without cleanups and without output. Failed, which is called
			// first, orders the test after the goroutines that used it. The rest would order
			// nothing in two dozen operations. Fail records which goroutine calls it, and where.
			replace("func (c *common) Fail() {\n", "func (c *common) Fail() { heddleFails()\n"),
			replace("func (c *common) setRan() {\n",
				"func (c *common) setRan() { if heddleActive { return }\n"),
			replace("	if !c.done && int64(race.Errors())",
				"	if !heddleActive && !c.done && int64(race.Errors())"),
			replace("func (c *common) runCleanup(ph panicHandling) (panicVal any) {\n", "func (c *common) runCleanup(ph panicHandling) (panicVal any) { if c.heddleClean() { return nil }\n"),
			replace("		c.mu.Unlock()\n\n		f()\n",
				"		c.mu.Unlock()\n\n		heddleGiven(f)\n"),
			replace("func (c *common) flushPartial() {\n", "func (c *common) flushPartial() { if heddleActive && (c.o == nil || len(c.o.partial) == 0) { return }\n"),
			// Goroutines that are left at the end of an execution end by Goexit, which is not an
			// error of the test.
			replace("		t.mu.RLock()\n		finished := t.finished\n		t.mu.RUnlock()\n		if !finished && err == nil {\n",
				"		if !heddleActive { t.mu.RLock() }\n		finished := t.finished\n		if !heddleActive { t.mu.RUnlock() }\n		if !finished && err == nil && !heddleOver {\n"),
			replace("	// code beyond here will not be executed when FailNow is invoked\n	t.mu.Lock()\n	t.finished = true\n",
				"	// code beyond here will not be executed when FailNow is invoked\n	if heddleActive { t.finished = true; return }; t.mu.Lock()\n	t.finished = true\n"),
			replace("	if t.parent != nil && !t.hasSub.Load() {\n",
				"	if !heddleActive && t.parent != nil && !t.hasSub.Load() {\n"),
			// nil: top-level, under drive
			replace("			t.signal <- signal\n",
				"			if t.signal != nil { t.signal <- signal }\n"),
			// heddleRoot makes the barrier only when it is needed.
			replace("	t.hasSub.Store(true)\n	testName, ok,",
				"	t.hasSub.Store(true); t.heddleBarrier()\n	testName, ok,"),
			// As that of a top-level test, its context is made on demand.
			replace("	ctx, cancelCtx := context.WithCancel(context.Background())\n	t = &T{\n",
				"	ctx, cancelCtx := heddleNoContext(context.Background())\n	t = &T{\n"),
			// A subtest has a name, so that executions agree on what goroutines do with it.
			replace("	t.w = indenter{&t.common}\n	t.setOutputWriter()\n\n	if t.chatty", "	t.w = indenter{&t.common}\n	heddleMade(t); t.setOutputWriter()\n\n	if t.chatty"),
			// So has that of a bubble.
			replace("	ctx, cancelCtx := context.WithCancel(context.Background())\n	t2 := &T{\n",
				"	ctx, cancelCtx := heddleNoContext(context.Background())\n	t2 := &T{\n"),
			replace("	}\n\n	go tRunner(t2, f)\n", "	}; heddleMade(t2)\n\n	go tRunner(t2, f)\n"),
			// Parallel subtests are counted, and would stand in some order. Where their number is
			// not bounded that has no effect.
			replace("	parallelStart.Add(1)\n", "	heddleCount(&parallelStart)\n"),
			replace("				parallelStop.Add(1)\n", "				heddleCount(&parallelStop)\n"),
			replace("	t.lastRaceErrors.Store(int64(race.Errors()))\n}", "	if !heddleActive { t.lastRaceErrors.Store(int64(race.Errors())) }\n}"),
			replace("func (s *testState) waitParallel() {\n", "func (s *testState) waitParallel() { if s.maxParallel == heddleUnbounded { return }\n"),
			replace("func (s *testState) release() {\n", "func (s *testState) release() { if s.maxParallel == heddleUnbounded { return }\n"),
			replace("	s.numWaiting++\n", "	s.numWaiting++; s.heddleStart()\n"),
			// Without a chattyPrinter -v still shows the logs of tests that passed.
			replace("	} else if t.chatty != nil {\n",
				"	} else if t.chatty != nil || heddleVerbose() {\n"),
		}},
		"match.go": {edits: []edit{
			replace("	base := parent + \"/\" + subname\n", "	base := parent + \"/\" + subname; if m.subNames == nil { m.subNames = map[string]int32{} }\n"),
		}},
		"fuzz.go": {edits: []edit{
			replace("			if !f.finished && !f.skipped && !f.failed {\n", "			if !f.finished && !f.skipped && !f.failed && !heddleOver {\n"),
			replace("	} else if f.chatty != nil {\n",
				"	} else if f.chatty != nil || heddleVerbose() {\n"),
			// As in T.Run: with a buffer, the receiver takes the signal in a step of its own.
			replace("				barrier:   make(chan bool),\n				signal:    make(chan bool),\n", "				barrier:   make(chan bool),\n				signal:    make(chan bool, 1),\n"),
			// One input, whose values heddle follows, replaces the corpus.
			replace("		for _, e := range f.corpus {\n			name :=", "		for _, e := range f.heddleCorpus(types) {\n			name :="),
			replace("			if _, ok, _ := f.tstate.match.fullName(nil, name); ok {\n", "			if heddleInput() || heddleMatches(f.tstate.match, name) {\n"),
			// Names and contexts, which would take longer than many a target.
			replace("			name := fmt.Sprintf(\"%s/%s\", f.name, filepath.Base(e.Path))\n",
				"			name := heddleName(f.name, e.Path)\n"),
			replace("			testName = fmt.Sprintf(\"%s/%s\", testName, filepath.Base(e.Path))\n",
				"			testName = heddleName(testName, e.Path)\n"),
			replace("Path: fmt.Sprintf(\"seed#%d\", len(f.corpus))", "Path: heddleSeed(len(f.corpus))"),
			replace("		ctx, cancelCtx := context.WithCancel(f.ctx)\n",
				"		ctx, cancelCtx := heddleNoContext(f.ctx)\n"),
			// Where F.Fuzz is called matters to errors of the corpus only.
			replace("	f.Helper()\n\n	// ff should be",
				"	if !heddleInput() { f.Helper() }\n\n	// ff should be"),
			replace("	dstr := fmtDuration(f.duration)\n", "	if heddleActive && !heddleVerbose() && !f.failed { return }; dstr := fmtDuration(f.duration)\n"),
			replace("		c, err := f.fstate.deps.ReadCorpus(filepath.Join(corpusDir, f.name), types)\n", "		c, err := f.heddleSeeds(types)\n"),
			replace("			fn.Call(args)\n",
				"			fn.Call(heddleArguments(args)); heddleReturned()\n"),
		}},
	},
}

// Package testing/synctest: under control, the whole execution is a bubble already.
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
