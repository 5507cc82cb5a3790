package explore

import (
	"encoding/binary"
	"errors"

	"heddle/trace"
	"heddle/trace/varint"
)

// A Lead is a work unit of a Leads strategy: an execution that is still to be made, or one that was
// made and has reversal candidates left.
type Lead struct {
	Schedule trace.Schedule
	State    uint64 // the state that it leads to, or has led to if it was made
	Bare     bool   // is handed out last
	Made     bool   // it was made and counted before
	From     int    // of one that was made: index of the first candidate left
}

var errLead = errors.New("a work unit of another strategy, or a damaged one: expected an encoded lead")

// Flags of an encoded lead.
const (
	leadBare = 1 << iota
	leadMade
	leadSites
	leadExhaustive
)

// Encode encodes a lead for DecodeLead.
func (l *Lead) Encode() []byte {
	flags := 0
	for bit, yes := range map[int]bool{leadBare: l.Bare, leadMade: l.Made, leadSites: l.Schedule.Sites,
		leadExhaustive: l.Schedule.Exhaustive} {
		if yes {
			flags |= bit
		}
	}
	var b []byte
	for _, x := range []uint64{uint64(flags), l.State, l.Schedule.Seed, uint64(l.From),
		uint64(len(l.Schedule.Policy))} {
		b = binary.AppendUvarint(b, x)
	}
	b = append(b, l.Schedule.Policy...)
	b = binary.AppendUvarint(b, uint64(len(l.Schedule.Steps)))
	for i := range l.Schedule.Steps {
		st := &l.Schedule.Steps[i]
		b = binary.AppendUvarint(b, uint64(st.Site))
		for _, x := range [...]int{int(st.G), int(st.Op), int(st.Choice), int(st.With), int(st.Case),
			int(st.WithCase)} {
			b = binary.AppendVarint(b, int64(x))
		}
	}
	return b
}

// DecodeLead decodes what Encode has written.
func DecodeLead(b []byte) (*Lead, error) {
	d := varint.Reader{B: b}
	l := new(Lead)
	flags := d.Uint()
	l.Bare, l.Made = flags&leadBare != 0, flags&leadMade != 0
	l.Schedule.Sites, l.Schedule.Exhaustive = flags&leadSites != 0, flags&leadExhaustive != 0
	l.State, l.Schedule.Seed, l.From = d.Uint(), d.Uint(), int(d.Uint())
	l.Schedule.Policy = string(d.Bytes(d.Count()))
	l.Schedule.Steps = make([]trace.Step, d.Count())
	for i := range l.Schedule.Steps {
		st := &l.Schedule.Steps[i]
		st.Site, st.G, st.Op, st.Choice = trace.Site(d.Uint()), trace.GID(d.Int()), trace.Op(d.Int()),
			int32(d.Int())
		st.With, st.Case, st.WithCase = int32(d.Int()), int16(d.Int()), int16(d.Int())
	}
	if d.Bad || len(d.B) > 0 || l.From < 0 {
		return nil, errLead
	}
	return l, nil
}
