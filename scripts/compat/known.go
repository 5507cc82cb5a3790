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
	{"github.com/panjf2000/ants/v2", "Test", "data race", "a worker that ends looks at once after ReleaseTimeout has returned, while Reboot writes it"},
	{"github.com/panjf2000/ants/v2", "TestPoolTuneScaleUp", "deadlock", "Tune broadcasts without the lock, and who has just seen the old capacity waits for ever"},
	{"github.com/panjf2000/ants/v2", "Test", "livelock", "tests leave workers in a loop that only another test ends"},
	{"github.com/alitto/pond/v2", "Test", "test failure", "tests read counts that workers bring up to date after the task is done"},
	{"github.com/jellydator/ttlcache/v3", "Test_Cache_Start", "data race", "the test changes the options of a cache that runs"},
	{"github.com/jellydator/ttlcache/v3", "Test_SuppressedLoader_Load", "deadlock", "the test takes it that two goroutines are at work within a millisecond"},
	{"github.com/asaskevich/EventBus", "TestSubscribeAsync", "leak", "the test does not close its channel"},
	{"github.com/cskr/pubsub", "TestTryPub", "test failure", "the test takes it that the second message finds nobody"},
	{"github.com/failsafe-go/failsafe-go/adaptivelimiter", "Test", "leak", "tests leave goroutines that wait for permits"},
	{"github.com/failsafe-go/failsafe-go/failsafegrpc", "TestServerPriorityLimiter", "leak", "the test leaves a goroutine that waits for a permit"},
	{"github.com/failsafe-go/failsafe-go/failsafegrpc", "Test", "panic", "the goroutine that serves may begin after the server was stopped, and calls log.Fatalf"},
	{"github.com/failsafe-go/failsafe-go/internal/util", "TestMergeContexts", "leak", "MergeContexts waits for its parents when the merged context is cancelled already"},
	{"github.com/failsafe-go/failsafe-go/test/issues", "TestIssue122_bug2", "leak", "MergeContexts waits for its parents when the merged context is cancelled already"},
	{"github.com/failsafe-go/failsafe-go/test/issues", "TestIssue134Hedge", "data race", "the hedged function runs twice and sets one variable"},
	{"github.com/failsafe-go/failsafe-go/test", "TestBulkHead", "test failure", "the test takes it that both permits are back"},
	{"github.com/smallnest/chanx", "TestLen", "data race", "Len has a value receiver, and copies a counter that the channel's goroutine counts"},
	{"github.com/golang/groupcache", "TestTruncatingByteSliceTarget", "panic", "the test needs what another test sets up"},
	{"github.com/golang/groupcache/singleflight", "TestDoDupSuppress", "deadlock", "the test takes it that ten goroutines wait after a tenth of a second"},
	{"github.com/jonboulle/clockwork", "TestFakeClockRace", "leak", "a goroutine sleeps on a fake clock that nobody moves any more"},
	{"github.com/jonboulle/clockwork", "TestMyFunc", "deadlock", "the test takes it that ten seconds are enough, and goes on without looking when they are not"},
	{"github.com/jonboulle/clockwork", "TestFakeTicker_DeliveryOrder", "test failure", "the test takes it that it keeps pace with the goroutine that moves its clock"},
	{"github.com/maypok86/otter/v2", "Test", "leak", "tests leave the goroutine of their fake clock, whose loop has no end, and who waits for its ticks"},
	{"github.com/maypok86/otter/v2", "TestCache_CleanUp", "test failure", "the test takes it that maintenance has not emptied the buffer of reads yet"},
	{"github.com/maypok86/otter/v2", "TestCache_PinnedWeight", "test failure", "the test takes it that what was just set is not evicted before it is looked up"},
	{"github.com/ThreeDotsLabs/watermill/components/cqrs", "Test", "leak", "tests do not close their routers and subscriptions"},
	{"github.com/ThreeDotsLabs/watermill/components/delay", "Test", "leak", "tests do not close their routers and subscriptions"},
	{"github.com/ThreeDotsLabs/watermill/components/requestreply", "Test", "leak", "tests do not close their routers and subscriptions"},
	{"github.com/ThreeDotsLabs/watermill/components/requestreply", "TestRequestReply_timeout", "test failure", "the test takes it that the deadline is seen before the subscriber has closed"},
	{"github.com/sasha-s/go-deadlock", "Test", "data race", "tests put Opts back while goroutines of the detector read it"},
	{"github.com/sasha-s/go-deadlock", "Test", "deadlock", "the tests of a detector of deadlocks make deadlocks"},
	{"github.com/dustin/go-broadcast", "TestBroadcastTrySubmit", "leak", "the test registers a channel that nobody receives from"},
	{"github.com/dustin/go-broadcast", "TestBroadcastTrySubmit", "test failure", "the test takes it that the broadcaster has not taken the first message, and later that it has"},
	{"github.com/Workiva/go-datastructures/futures", "Test", "deadlock", "the test takes it that half an hour is enough"},
	{"github.com/Workiva/go-datastructures/trie/dtrie", "TestIterate", "leak", "an iterator that is stopped still waits to send its next entry"},
	{"github.com/samber/ro", "Example", "livelock", "a cycle of three locks, one of them a spin lock: Race, and Delay twice"},
	{"github.com/samber/ro", "ExampleGroupBy_ok", "data race", "a sync.Map is replaced as a whole while others use it"},
	{"go.uber.org/ratelimit", "Test", "leak", "tests leave goroutines that sleep on a mock clock"},
	{"go.uber.org/ratelimit", "Test", "deadlock", "the mock clock takes it that a goroutine needs less than a millisecond"},
	{"go.uber.org/ratelimit", "Test", "test failure", "the mock clock takes it that a goroutine needs less than a millisecond"},
	{"github.com/robfig/cron/v3", "Test", "leak", "the helper wait leaves its goroutine where nobody waits to the end"},
	{"github.com/robfig/cron/v3", "TestJob", "misuse", "the job runs once more after a long second"},
	{"github.com/looplab/fsm", "TestContextInCallbacks", "deadlock", "the test takes it that the event begins before the context is cancelled"},
	{"github.com/looplab/fsm", "TestEventAndCanInGoroutines", "data race", "callbacks look at the state without its lock"},
	{"go.uber.org/zap/zapcore", "TestBufferWriter", "data race", "the test reads a buffer that the syncer may flush to"},
	{"github.com/fatih/semgroup", "TestGroup_deadlock", "test failure", "the test takes it that the first task has not ended when the second comes"},
	{"github.com/alitto/pond", "TestNew", "leak", "tests do not stop their pools"},
	{"github.com/alitto/pond", "TestPurgeAfterPoolStopped", "leak", "tests do not stop their pools"},
	{"github.com/alitto/pond", "Test", "leak", "who waits for all tasks sends that it is so, and nobody receives any more"},
	{"github.com/alitto/pond", "TestSubmitAndStopWithoutWaiting", "deadlock", "the test takes it that the second task has not begun"},
	{"github.com/alitto/pond", "Test", "deadlock", "Submit counts on an idle worker that the purger ends, and nobody takes the task"},
	{"github.com/alitto/pond", "TestGroupContextWithCanceledContext", "test failure", "the test takes it that the cancelled tasks are not all over yet"},
	{"github.com/alitto/pond", "TestSubmitWithContextCancelWithIdleTasks", "test failure", "the test takes it that the second task never begins"},
	{"github.com/sirupsen/logrus", "TestEntryWriter", "leak", "the test does not close its writer"},
	{"k8s.io/client-go/util/workqueue", "Test", "leak", "tests do not shut their queues down"},
	{"k8s.io/client-go/util/workqueue", "TestAddTwoFireEarly", "test failure", "the test takes it that its clock is not moved between the queue's look at it and the timer that the queue sets"},
	{"k8s.io/client-go/util/flowcontrol", "TestMultithreadedThrottling", "leak", "ten goroutines send, and one is listened to"},
	{"github.com/tidwall/buntdb", "TestVariousTx", "data race", "the test sets the database's file while its background goroutine may read it"},
	{"github.com/tidwall/buntdb", "TestOnExpiredSync", "panic", "the test does not wait for its goroutine, which may call Fail when it is over"},
	{"github.com/tidwall/btree", "TestMapCopy", "data race", "sixteen goroutines copy one map, and Copy writes to it"},
	{"github.com/tidwall/btree", "TestSetCopy", "data race", "sixteen goroutines copy one set, and Copy writes to it"},
	{"github.com/rs/zerolog", "TestSamplers", "test failure", "the test counts on luck"},
	{"github.com/rs/zerolog/diode", "TestNewWriter", "test failure", "Close may lose the last message"},
	{"github.com/rs/zerolog/diode", "ExampleNewWriter", "test failure", "Close may lose the last message"},
	{"github.com/rs/zerolog/diode", "TestFatal", "test failure", "the test waits for a command before it has read its output"},
}

func (f *finding) explained() string {
	for _, k := range known {
		if k.pkg == f.pkg && strings.HasPrefix(f.test, k.test) && k.kind == f.kind {
			return k.note
		}
	}
	return ""
}
