package wire

import (
	"encoding/binary"

	"heddle/trace"
)

// The crash file: what a test binary leaves behind when its process dies in
// the middle of an execution. Little endian: a header (see CrashInfo.Put), the
// number of entries kept at CrashCount, of all choices at CrashSteps, signs of
// life between choices at CrashBeats, then from CrashHeader the entries: the
// steps, and the goroutines in order of creation.
const (
	CrashSize   = 4 << 20
	CrashHeader = 1024
	CrashCount  = CrashHeader - 4
	CrashSteps  = CrashHeader - 8
	CrashBeats  = CrashHeader - 12

	// CrashEntry is the size of an entry: goroutine, outcome, default (4 bytes
	// each), operation, site (8 bytes). Of a goroutine that was started: its
	// parent, its number, nothing, CrashGo, its go statement.
	CrashEntry = 24
	CrashGo    = 0xff
)

// PutCrashStep writes a step as an entry.
func PutCrashStep(mem []byte, s *trace.Step) {
	le := binary.LittleEndian
	le.PutUint32(mem, uint32(s.G))
	le.PutUint32(mem[4:], uint32(s.Choice))
	le.PutUint32(mem[8:], uint32(s.Default))
	le.PutUint32(mem[12:], uint32(s.Op))
	le.PutUint64(mem[16:], uint64(s.Site))
}

// PutCrashGo writes a goroutine as an entry.
func PutCrashGo(mem []byte, g *trace.Goroutine) {
	le := binary.LittleEndian
	le.PutUint32(mem, uint32(g.Parent))
	le.PutUint32(mem[4:], uint32(g.N))
	le.PutUint32(mem[12:], CrashGo)
	le.PutUint64(mem[16:], uint64(g.Site))
}

// CrashTrace returns the goroutines and steps of the execution in a crash file;
// nil where they were too many to be kept.
func CrashTrace(mem []byte) *trace.Trace {
	if len(mem) < CrashHeader {
		return nil
	}
	le := binary.LittleEndian
	t := &trace.Trace{Verdict: trace.Panicked}
	n := min(int(le.Uint32(mem[CrashCount:])), (len(mem)-CrashHeader)/CrashEntry)
	for i := range n {
		e := mem[CrashHeader+i*CrashEntry:]
		g, second, site := trace.GID(int32(le.Uint32(e))), int32(le.Uint32(e[4:])), trace.Site(le.Uint64(e[16:]))
		if op := le.Uint32(e[12:]); op == CrashGo {
			t.Goroutines = append(t.Goroutines, trace.Goroutine{Parent: g, N: second, Site: site})
		} else {
			t.Steps = append(t.Steps, trace.Step{G: g, Op: trace.Op(op), Choice: second, Default: trace.GID(int32(le.Uint32(e[8:]))), Site: site})
		}
	}
	if len(t.Steps) != int(le.Uint32(mem[CrashSteps:])) {
		return nil
	}
	return t
}

// A CrashInfo says which execution was running.
type CrashInfo struct {
	Running   bool
	Test      string
	Execution int
	Policy    string
	Seed      uint64
	Depth     int
	Free      bool

	Exhaustive bool
}

// Put writes c into the header of mem. Names are cut at 700 bytes.
func (c *CrashInfo) Put(mem []byte) {
	mem[0] = 0
	le := binary.LittleEndian
	le.PutUint64(mem[8:], uint64(c.Execution))
	le.PutUint64(mem[16:], c.Seed)
	le.PutUint32(mem[24:], uint32(c.Depth))
	mem[28] = 0
	if c.Free {
		mem[28] |= 1
	}
	if c.Exhaustive {
		mem[28] |= 2
	}
	mem[29] = byte(copy(mem[32:64], c.Policy))
	n := copy(mem[64:764], c.Test)
	le.PutUint16(mem[30:], uint16(n))
	if c.Running {
		mem[0] = 1
	}
}

// ReadCrash reads the header of a crash file; ok is false if it is too short to be one.
func ReadCrash(mem []byte) (c CrashInfo, ok bool) {
	if len(mem) < CrashHeader {
		return c, false
	}
	le := binary.LittleEndian
	return CrashInfo{
		Running: mem[0] == 1, Execution: int(le.Uint64(mem[8:])), Seed: le.Uint64(mem[16:]), Depth: int(le.Uint32(mem[24:])),
		Free: mem[28]&1 != 0, Exhaustive: mem[28]&2 != 0, Policy: string(mem[32 : 32+min(int(mem[29]), 32)]), Test: string(mem[64 : 64+min(int(le.Uint16(mem[30:])), 700)]),
	}, true
}
