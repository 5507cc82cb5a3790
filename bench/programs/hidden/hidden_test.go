package hidden

import (
	"os"
	"testing"
)

// The programs are executed only if HEDDLE_BENCH is set: some may wait for ever.
func run(t *testing.T, f func()) {
	t.Helper()
	if os.Getenv("HEDDLE_BENCH") == "" {
		t.Skip("HEDDLE_BENCH is not set")
	}
	f()
}

const (
	long    = 60_000
	channel = 100_000
)

func TestOnceMutex(t *testing.T)                { run(t, func() { OnceMutex(false) }) }
func TestOnceMutexFixed(t *testing.T)           { run(t, func() { OnceMutex(true) }) }
func TestOnceMutexPlain(t *testing.T)           { run(t, func() { OnceMutexPlain(false) }) }
func TestOnceMutexPlainFixed(t *testing.T)      { run(t, func() { OnceMutexPlain(true) }) }
func TestTwoOnces(t *testing.T)                 { run(t, func() { TwoOnces(false) }) }
func TestTwoOncesFixed(t *testing.T)            { run(t, func() { TwoOnces(true) }) }
func TestOnceRead(t *testing.T)                 { run(t, func() { OnceRead(false) }) }
func TestOnceReadFixed(t *testing.T)            { run(t, func() { OnceRead(true) }) }
func TestLateLocks(t *testing.T)                { run(t, func() { LateLocks(false) }) }
func TestLateLocksFixed(t *testing.T)           { run(t, func() { LateLocks(true) }) }
func TestLateSelect(t *testing.T)               { run(t, func() { LateSelect(false) }) }
func TestLateSelectFixed(t *testing.T)          { run(t, func() { LateSelect(true) }) }
func TestOtherSender(t *testing.T)              { run(t, func() { OtherSender(false) }) }
func TestOtherSenderFixed(t *testing.T)         { run(t, func() { OtherSender(true) }) }
func TestOtherSenderBuffered(t *testing.T)      { run(t, func() { OtherSenderBuffered(false) }) }
func TestOtherSenderBufferedFixed(t *testing.T) { run(t, func() { OtherSenderBuffered(true) }) }
func TestOtherPermit(t *testing.T)              { run(t, func() { OtherPermit(false) }) }
func TestOtherPermitFixed(t *testing.T)         { run(t, func() { OtherPermit(true) }) }
func TestSemaphoreRead(t *testing.T)            { run(t, func() { SemaphoreRead(false) }) }
func TestSemaphoreReadFixed(t *testing.T)       { run(t, func() { SemaphoreRead(true) }) }
func TestSemaphoreCounts(t *testing.T)          { run(t, func() { SemaphoreCounts(false) }) }
func TestSemaphoreCountsFixed(t *testing.T)     { run(t, func() { SemaphoreCounts(true) }) }
func TestSemaphoreBranch(t *testing.T)          { run(t, func() { SemaphoreBranch(false) }) }
func TestSemaphoreBranchFixed(t *testing.T)     { run(t, func() { SemaphoreBranch(true) }) }
func TestMutexRead(t *testing.T)                { run(t, func() { MutexRead(false) }) }
func TestMutexReadFixed(t *testing.T)           { run(t, func() { MutexRead(true) }) }
func TestLateRace(t *testing.T)                 { run(t, func() { LateRace(false) }) }
func TestLateRaceFixed(t *testing.T)            { run(t, func() { LateRace(true) }) }
func TestLong(t *testing.T)                     { run(t, func() { Long(long, false) }) }
func TestLongFixed(t *testing.T)                { run(t, func() { Long(long, true) }) }
func TestLongChannel(t *testing.T)              { run(t, func() { LongChannel(channel, false) }) }
func TestLongChannelFixed(t *testing.T)         { run(t, func() { LongChannel(channel, true) }) }
func TestCheckThenPop(t *testing.T)             { run(t, func() { CheckThenPop(false) }) }
func TestCheckThenPopFixed(t *testing.T)        { run(t, func() { CheckThenPop(true) }) }
func TestTwoReads(t *testing.T)                 { run(t, func() { TwoReads(false) }) }
func TestTwoReadsFixed(t *testing.T)            { run(t, func() { TwoReads(true) }) }
func TestLatePanic(t *testing.T)                { run(t, func() { LatePanic(false) }) }
func TestLatePanicFixed(t *testing.T)           { run(t, func() { LatePanic(true) }) }
