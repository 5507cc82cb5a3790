package drive

import (
	"encoding/binary"
	"os"
	"syscall"

	"heddle/rt/wire"
	"heddle/trace"
)

// A crashLog keeps the running schedule in a mapped file, so that the command
// can read it after the process has died (fatal error, os.Exit, kill).
type crashLog struct {
	mem  []byte
	n    int      // entries written
	file *os.File // to make room
	room int      // bytes that the file is known to have room for
}

var crash *crashLog

// crashPiece is by how much a crash file grows: writing to a mapped page that
// the disk has no room for would be a fatal error.
const crashPiece = 256 << 10

func openCrashLog(path string) (*crashLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	c := &crashLog{file: f}
	if err = f.Truncate(wire.CrashSize); err == nil {
		err = c.grow()
	}
	if err == nil {
		c.mem, err = syscall.Mmap(int(f.Fd()), 0, wire.CrashSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return c, nil
}

// grow makes room for another piece.
func (c *crashLog) grow() error {
	n := min(crashPiece, wire.CrashSize-c.room)
	_, err := c.file.WriteAt(make([]byte, n), int64(c.room))
	if err == nil {
		c.room += n
	}
	return err
}

// begin notes which execution of which test starts.
func (c *crashLog) begin(test string, execution int, s *trace.Schedule) {
	if c == nil {
		return
	}
	c.n = 0
	binary.LittleEndian.PutUint32(c.mem[wire.CrashCount:], 0)
	binary.LittleEndian.PutUint32(c.mem[wire.CrashSteps:], 0)
	h := wire.CrashInfo{Test: test, Execution: execution, Policy: s.Policy, Seed: s.Seed, Depth: s.Depth, Free: s.Free, Exhaustive: s.Exhaustive, Running: true}
	h.Put(c.mem)
}

func (c *crashLog) end() {
	if c != nil {
		c.mem[0] = 0
	}
}

// Step implements sched.Log.
func (c *crashLog) Step(s *trace.Step) {
	c.count(wire.CrashSteps)
	if e := c.entry(); e != nil {
		wire.PutCrashStep(e, s)
	}
}

// Amend implements sched.Log.
func (c *crashLog) Amend(s *trace.Step) {
	if at := wire.CrashHeader + (c.n-1)*wire.CrashEntry; c.n > 0 && at+wire.CrashEntry <= len(c.mem) {
		wire.PutCrashStep(c.mem[at:], s)
	}
}

// Started implements sched.Log.
func (c *crashLog) Started(g *trace.Goroutine) {
	if e := c.entry(); e != nil {
		wire.PutCrashGo(e, g)
	}
}

// entry makes room for one entry; nil if there is none.
func (c *crashLog) entry() []byte {
	at := wire.CrashHeader + c.n*wire.CrashEntry
	if at+wire.CrashEntry > c.room && (at+wire.CrashEntry > len(c.mem) || c.grow() != nil) {
		return nil
	}
	c.n++
	binary.LittleEndian.PutUint32(c.mem[wire.CrashCount:], uint32(c.n))
	return c.mem[at:]
}

// Busy implements sched.Log.
func (c *crashLog) Busy() { c.count(wire.CrashBeats) }

func (c *crashLog) count(at int) {
	binary.LittleEndian.PutUint32(c.mem[at:], binary.LittleEndian.Uint32(c.mem[at:])+1)
}
