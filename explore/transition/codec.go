package transition

import (
	"encoding/binary"

	"heddle/model"
	"heddle/trace"
	"heddle/trace/varint"
)

// The encoding of transitions for a process with a Table of its own. Goroutines and objects are
// numbered in the order of first use; the identity of each is written once, at its first use.

// An Encoder encodes transitions and numbers.
type Encoder struct {
	B []byte

	tab   *Table
	procs map[Proc]int
	objs  map[Object]int
}

// NewEncoder returns an Encoder for the names of tab.
func NewEncoder(tab *Table) *Encoder {
	return &Encoder{tab: tab, procs: map[Proc]int{NoProc: 0}, objs: map[Object]int{}}
}

// Uint writes a number that is not negative.
func (e *Encoder) Uint(x int) { e.B = binary.AppendUvarint(e.B, uint64(x)) }

// Int writes a number that may be negative.
func (e *Encoder) Int(x int) { e.B = binary.AppendVarint(e.B, int64(x)) }

// Bytes writes the number of bytes and the bytes.
func (e *Encoder) Bytes(b []byte) {
	e.Uint(len(b))
	e.B = append(e.B, b...)
}

// Proc writes a goroutine's name.
func (e *Encoder) Proc(p Proc) {
	k, known := e.procs[p]
	if !known {
		k = len(e.procs)
		e.procs[p] = k
	}
	if e.Uint(k); !known {
		r := e.tab.procs[p]
		e.Proc(r.parent)
		e.Int(int(r.n))
	}
}

// Procs writes the names of goroutines.
func (e *Encoder) Procs(ps []Proc) {
	e.Uint(len(ps))
	for _, p := range ps {
		e.Proc(p)
	}
}

func (e *Encoder) object(o Object) {
	k, known := e.objs[o]
	if !known {
		k = len(e.objs)
		e.objs[o] = k
	}
	if e.Uint(k); !known {
		r := &e.tab.objects[o]
		e.Proc(r.by)
		e.B = binary.AppendUvarint(e.B, uint64(r.made))
		e.Int(int(r.n))
		e.Uint(int(r.offset))
		e.B = binary.AppendUvarint(e.B, e.tab.name(&r.objectKey))
		e.Uint(int(r.kind))
		e.Uint(int(r.size))
		e.Uint(int(r.extent))
		e.Uint(int(number(r.torn) + 2*number(r.plainly)))
		e.Uint(int(r.Cap))
	}
}

// Transition writes a transition: its identity, its accesses and the goroutines that it starts.
func (e *Encoder) Transition(t *Transition) {
	e.Proc(t.Proc)
	e.Proc(t.With)
	for _, x := range [...]int{int(t.Case), int(t.WithCase), int(t.Choice), int(t.Choices)} {
		e.Int(x)
	}
	e.Uint(int(t.Op))
	e.Uint(int(number(t.Barrier)))
	e.Uint(len(t.Accesses))
	for i := range t.Accesses {
		a := &t.Accesses[i]
		e.object(a.Obj)
		e.Uint(int(a.Mode))
	}
	e.Procs(t.Starts)
}

// A Decoder reads what an Encoder wrote. Bad is set when the data is damaged.
type Decoder struct {
	varint.Reader

	tab   *Table
	procs []Proc
	objs  []Object
}

// NewDecoder returns a Decoder of b that names goroutines and objects by tab.
func NewDecoder(tab *Table, b []byte) *Decoder {
	return &Decoder{Reader: varint.Reader{B: b}, tab: tab, procs: []Proc{NoProc}}
}

// Number reads what Encoder.Uint wrote.
func (d *Decoder) Number() int { return int(d.Uint()) }

// Proc reads a goroutine's name.
func (d *Decoder) Proc() Proc {
	k := d.Uint()
	switch {
	case k < uint64(len(d.procs)):
		return d.procs[k]
	case k > uint64(len(d.procs)):
		d.Fail()
		return NoProc
	}
	d.procs = append(d.procs, NoProc)
	parent, n := d.Proc(), int32(d.Int())
	if !d.Bad {
		d.procs[k] = d.tab.proc(procRow{parent, n})
	}
	return d.procs[k]
}

// Procs reads the names of goroutines.
func (d *Decoder) Procs() (ps []Proc) {
	for range d.Count() {
		p := d.Proc()
		if p == NoProc {
			d.Fail()
		}
		ps = append(ps, p)
	}
	return ps
}

func (d *Decoder) object() Object {
	k := d.Uint()
	switch {
	case k < uint64(len(d.objs)):
		return d.objs[k]
	case k > uint64(len(d.objs)):
		d.Fail()
		return 0
	}
	by := d.Proc()
	key := objectKey{by: by, made: trace.Site(d.Uint()), n: int32(d.Int()), offset: uint32(d.Uint()),
		addr: d.tab.addr(by, d.Uint()), kind: trace.ObjKind(d.Uint()), size: uint32(d.Uint())}
	extent, flags, limit := uint32(d.Uint()), d.Uint(), int32(d.Uint())
	if d.Bad {
		return 0
	}
	obj := d.tab.internWide(key, extent)
	if extent > d.tab.objects[obj].extent {
		d.tab.widen(obj, extent)
	}
	row := &d.tab.objects[obj]
	if flags&1 != 0 {
		d.tab.mark(obj, &row.torn)
	}
	if flags&2 != 0 {
		d.tab.mark(obj, &row.plainly)
	}
	row.Cap = max(row.Cap, limit)
	d.objs = append(d.objs, obj)
	return obj
}

// Transition reads a transition.
func (d *Decoder) Transition() (t Transition) {
	t.Proc, t.With = d.Proc(), d.Proc()
	t.Case, t.WithCase, t.Choice, t.Choices = int16(d.Int()), int16(d.Int()), int32(d.Int()), int32(d.Int())
	t.Op, t.Barrier = trace.Op(d.Uint()), d.Uint() != 0
	for range d.Count() {
		a := Access{Obj: d.object(), Mode: model.Mode(d.Uint())}
		if a.Mode >= model.Modes {
			d.Fail()
		}
		if d.Bad {
			return t
		}
		t.Accesses = append(t.Accesses, a)
	}
	t.Starts = d.Procs()
	if t.Proc == NoProc {
		d.Fail()
	}
	return t
}
