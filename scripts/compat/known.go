package main

import "strings"

// known are the findings that are theirs; docs/found.md explains each.
var known = []struct {
	pkg, test, kind string // test: a prefix
	note            string
}{
	{"github.com/sourcegraph/conc/pool", "Test", "leak", "tests that provoke a panic never wait for the pool"},
	{"github.com/jackc/puddle/v2", "TestStress", "deadlock", "Close waits for ever for a resource that TryAcquire makes in the background"},
	{"github.com/cenkalti/backoff/v4", "TestTicker", "leak", "tests do not stop their tickers"},
	{"github.com/eapache/channels", "Test", "leak", "tests do not close their channels"},
	{"github.com/eapache/channels", "Test", "test failure", "tests take it that nobody receives yet"},
	{"github.com/benbjohnson/clock", "TestMock_AfterRace", "deadlock", "two goroutines tick one timer and fill its channel with the lock held"},
	{"github.com/benbjohnson/clock", "TestClock_Timer_Reset_Unlock", "deadlock", "the test takes it that a goroutine needs less than a millisecond"},
	{"github.com/benbjohnson/clock", "", "leak", "tests leave goroutines that receive from tickers for ever"},
	{"github.com/eapache/go-resiliency/batcher", "TestShutdownSuccess", "misuse", "Run after Shutdown, which the documentation forbids"},
	{"github.com/eapache/go-resiliency/batcher", "TestShutdownSuccess", "data race", "two batches add to the test's total"},
	{"github.com/sony/gobreaker", "TestCustomCircuitBreaker", "data race", "tests read counts without the lock"},
	{"github.com/sony/gobreaker", "TestGeneration", "data race", "tests read counts without the lock"},
	{"go.etcd.io/raft/v3", "TestNodeStart", "leak", "the test does not stop its first node"},
	{"github.com/dgraph-io/ristretto/v2", "Test", "leak", "tests do not close their caches"},
}

func (f *finding) explained() string {
	for _, k := range known {
		if k.pkg == f.pkg && strings.HasPrefix(f.test, k.test) && k.kind == f.kind {
			return k.note
		}
	}
	return ""
}
