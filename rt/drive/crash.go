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
	mem []byte
	n   int
	off int
}

var crash *crashLog

func openCrashLog(path string) (*crashLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(wire.CrashSize); err != nil {
		return nil, err
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, wire.CrashSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &crashLog{mem: mem}, nil
}

// begin notes which execution of which test starts.
func (c *crashLog) begin(test string, execution int, s *trace.Schedule) {
	if c == nil {
		return
	}
	c.n = 0
	c.off = wire.CrashHeader
	binary.LittleEndian.PutUint32(c.mem[wire.CrashCount:], 0)
	h := wire.CrashInfo{Test: test, Execution: execution, Policy: s.Policy, Seed: s.Seed, Depth: s.Depth, Free: s.Free, Running: true}
	h.Put(c.mem)
}

func (c *crashLog) end() {
	if c != nil {
		c.mem[0] = 0
	}
}

// Choice implements sched.ChoiceLog.
func (c *crashLog) Choice(g trace.GID, choice int32) {
	c.count(wire.CrashSteps)
	if c.off+8 > len(c.mem) {
		return
	}
	binary.LittleEndian.PutUint32(c.mem[c.off:], uint32(g))
	binary.LittleEndian.PutUint32(c.mem[c.off+4:], uint32(choice))
	c.off += 8
	c.n++
	binary.LittleEndian.PutUint32(c.mem[wire.CrashCount:], uint32(c.n))
}

// Busy implements sched.ChoiceLog.
func (c *crashLog) Busy() { c.count(wire.CrashBeats) }

func (c *crashLog) count(at int) {
	binary.LittleEndian.PutUint32(c.mem[at:], binary.LittleEndian.Uint32(c.mem[at:])+1)
}
