package wire

import "encoding/binary"

// The crash file: what a test binary leaves behind when its process dies in
// the middle of an execution. Little endian: a header (see CrashInfo.Put), the
// number of choices kept at CrashCount, of all choices at CrashSteps, signs of
// life between choices at CrashBeats, then from CrashHeader 8 bytes a choice:
// goroutine (in order of creation) and outcome (-1: none).
const (
	CrashSize   = 4 << 20
	CrashHeader = 1024
	CrashCount  = CrashHeader - 4
	CrashSteps  = CrashHeader - 8
	CrashBeats  = CrashHeader - 12
)

// A CrashInfo says which execution was running.
type CrashInfo struct {
	Running   bool
	Test      string
	Execution int
	Policy    string
	Seed      uint64
	Depth     int
	Free      bool
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
		mem[28] = 1
	}
	mem[29] = byte(copy(mem[32:64], c.Policy))
	n := copy(mem[64:764], c.Test)
	le.PutUint16(mem[30:], uint16(n))
	if c.Running {
		mem[0] = 1
	}
}

// ReadCrash reads a crash file; ok is false if it is too short to be one.
func ReadCrash(mem []byte) (c CrashInfo, choices [][2]int32, ok bool) {
	if len(mem) < CrashHeader {
		return c, nil, false
	}
	le := binary.LittleEndian
	c = CrashInfo{
		Running: mem[0] == 1, Execution: int(le.Uint64(mem[8:])), Seed: le.Uint64(mem[16:]), Depth: int(le.Uint32(mem[24:])),
		Free: mem[28] == 1, Policy: string(mem[32 : 32+min(int(mem[29]), 32)]), Test: string(mem[64 : 64+min(int(le.Uint16(mem[30:])), 700)]),
	}
	n := min(int(le.Uint32(mem[CrashCount:])), (len(mem)-CrashHeader)/8)
	for i := range n {
		at := CrashHeader + 8*i
		choices = append(choices, [2]int32{int32(le.Uint32(mem[at:])), int32(le.Uint32(mem[at+4:]))})
	}
	return c, choices, true
}
