package trace

// The encoding of a trace: the verdict, then for each list the number of rows and the rows. Every
// number is little endian and of fixed size. Only the same build of heddle reads it.

// Append appends the encoding of t to b.
func (t *Trace) Append(b []byte) []byte {
	b = append(b, byte(t.Verdict))
	b = append32(b, len(t.Goroutines))
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		b = append64(append32(append32(b, int(g.Parent)), int(g.N)), uint64(g.Site))
	}
	b = append32(b, len(t.Objects))
	for i := range t.Objects {
		o := &t.Objects[i]
		b = append64(append(b, byte(o.Kind), flag(o.Static), flag(o.Number)|flag(o.Flat)<<1), uint64(o.Addr))
		b = append32(append32(append32(append32(b, int(o.G)), int(o.N)), int(o.Offset)), int(o.Cap))
		b = append32(append64(append64(append64(b, uint64(o.Site)), o.Init), uint64(o.Made)), int(o.Nth))
	}
	b = AppendSteps(b, t.Steps)
	b = append32(b, len(t.Events))
	for i := range t.Events {
		e := &t.Events[i]
		b = append32(append32(append(append32(b, int(e.G)), byte(e.Op), flag(e.Quiet), e.Width), int(e.Obj)),
			int(e.Partner))
		b = append32(append32(append64(append64(b, uint64(e.Arg)), uint64(e.Site)), int(e.Val)), int(e.Step))
	}
	b = append32(b, len(t.Values))
	for _, v := range t.Values {
		b = append(append32(b, len(v)), v...)
	}
	b = append32(b, len(t.Calls))
	for _, c := range t.Calls {
		b = append64(append64(b, uint64(c.From)), uint64(c.Into))
	}
	b = append32(b, len(t.Offers))
	for i := range t.Offers {
		o := &t.Offers[i]
		b = append32(append(append32(append32(b, int(o.G)), int(o.Step)), flag(o.Send), flag(o.Poll)),
			int(o.Case))
		b = append32(append64(append32(b, int(o.Obj)), uint64(o.Site)), int(o.After))
	}
	b = append32(b, len(t.Left))
	for i := range t.Left {
		l := &t.Left[i]
		b = append32(append(append32(append32(b, int(l.G)), int(l.Step)), byte(l.Op), flag(l.Enabled)),
			int(l.Obj))
		b = append32(append64(b, uint64(l.Site)), int(l.Seq))
	}
	b = append32(b, len(t.Plain))
	for i := range t.Plain {
		a := &t.Plain[i]
		b = append32(append64(append32(append(append32(append32(b, int(a.G)), int(a.Step)), flag(a.Write)),
			int(a.Size)), uint64(a.Site)), int(a.After))
		b = append64(append(append32(b, int(a.Made)), flag(a.Valued)), a.Value)
		m := &a.Mem
		b = append(b, flag(m.Static))
		b = append32(append64(append32(append32(append32(append64(b, uint64(m.Addr)), int(m.G)), int(m.N)),
			int(m.Offset)), uint64(m.Made)), int(m.Nth))
		b = append(append64(append64(append(b, byte(a.Update.Kind)), a.Update.By), a.Key), byte(a.Leaves))
	}
	b = append32(b, len(t.Compares))
	for _, c := range t.Compares {
		b = append64(append32(b, int(c.Event)), c.Old)
	}
	b = append32(b, len(t.Updates))
	for _, u := range t.Updates {
		b = append64(append(append32(append32(b, int(u.Event)), int(u.Size)), byte(u.Kind)), u.By)
	}
	b = append32(b, len(t.Sent))
	for _, x := range t.Sent {
		b = append64(append32(b, int(x.Event)), x.Number)
	}
	b = append32(b, len(t.Heads))
	for _, h := range t.Heads {
		b = append32(append32(append(append32(b, int(h.G)), flag(h.Begins)), int(h.Loop)), int(h.Step))
		b = append32(append32(b, int(h.Event)), int(h.Plain))
		b = append32(append32(append64(b, h.Values), int(h.Frame)), int(h.Wrote))
	}
	b = append32(b, len(t.Affects))
	for _, a := range t.Affects {
		b = append32(append32(b, int(a.Event)), int(a.Effect))
	}
	b = append32(b, len(t.Ways))
	for i := range t.Ways {
		w := &t.Ways[i]
		b = append32(append32(append(append32(b, int(w.G)), byte(w.Op)), int(w.Obj)), int(w.With))
		b = appendCases(b, w.Case, w.WithCase)
		b = append32(append64(append64(b, uint64(w.Site)), uint64(w.WithSite)), int(w.Step))
	}
	b = appendGIDs(appendGIDs(b, t.Twins), t.Crashed)
	b = append32(b, len(t.Calm))
	for _, n := range t.Calm {
		b = append32(b, int(n))
	}
	return t.Flow.append(append(b, flag(t.Spun), byte(t.Untimed)))
}

// AppendSteps appends the encoding of steps to b, see DecodeSteps.
func AppendSteps(b []byte, steps []Step) []byte {
	b = append32(b, len(steps))
	for i := range steps {
		s := &steps[i]
		b = append32(append(append32(b, int(s.G)), byte(s.Op)), int(s.Choice))
		b = append64(append32(b, int(s.Default)), uint64(s.Site))
		b = appendCases(append32(b, int(s.With)), s.Case, s.WithCase)
	}
	return b
}

// DecodeSteps reads what AppendSteps wrote. It fails on anything else.
func DecodeSteps(b []byte) ([]Step, error) {
	d := decoder{b: b}
	steps := d.steps()
	if d.bad || len(d.b) > 0 {
		return nil, malformed("steps")
	}
	return steps, nil
}

func (d *decoder) steps() []Step {
	steps := make([]Step, d.rows(29))
	for i := range steps {
		steps[i] = Step{G: GID(d.i32()), Op: Op(d.u8()), Choice: d.i32(), Default: GID(d.i32()),
			Site: Site(d.u64()), With: d.i32()}
		steps[i].Case, steps[i].WithCase = d.cases()
	}
	return steps
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Decode reads what Append wrote. It fails on anything else.
func Decode(b []byte) (*Trace, error) {
	d := decoder{b: b}
	t := &Trace{Verdict: Verdict(d.u8())}
	t.Goroutines = make([]Goroutine, d.rows(16))
	for i := range t.Goroutines {
		t.Goroutines[i] = Goroutine{Parent: GID(d.i32()), N: d.i32(), Site: Site(d.u64())}
	}
	t.Objects = make([]Object, d.rows(55))
	for i := range t.Objects {
		kind, static, flags := ObjKind(d.u8()), d.u8() == 1, d.u8()
		t.Objects[i] = Object{Kind: kind, Static: static, Number: flags&1 != 0, Flat: flags&2 != 0,
			Addr: uintptr(d.u64()), G: GID(d.i32()), N: d.i32(), Offset: uint32(d.i32()), Cap: d.i32(),
			Site: Site(d.u64()), Init: d.u64(), Made: Site(d.u64()), Nth: d.i32()}
	}
	t.Steps = d.steps()
	t.Events = make([]Event, d.rows(39))
	for i := range t.Events {
		t.Events[i] = Event{
			G: GID(d.i32()), Op: Op(d.u8()), Quiet: d.u8() == 1, Width: d.u8(), Obj: ObjID(d.i32()),
			Partner: d.i32(), Arg: int64(d.u64()), Site: Site(d.u64()), Val: d.i32(), Step: d.i32(),
		}
	}
	t.Values = make([]string, d.rows(4))
	for i := range t.Values {
		t.Values[i] = d.text()
	}
	if n := d.rows(16); n > 0 {
		t.Calls = make([]Call, n)
	}
	for i := range t.Calls {
		t.Calls[i] = Call{Site(d.u64()), Site(d.u64())}
	}
	if n := d.rows(18); n > 0 {
		t.Offers = make([]Offer, n)
	}
	for i := range t.Offers {
		t.Offers[i] = Offer{G: GID(d.i32()), Step: d.i32(), Send: d.u8() == 1, Poll: d.u8() == 1,
			Case: int16(d.i32()), Obj: ObjID(d.i32()), Site: Site(d.u64()), After: d.i32()}
	}
	if n := d.rows(26); n > 0 {
		t.Left = make([]Left, n)
	}
	for i := range t.Left {
		l := &t.Left[i]
		l.G, l.Step, l.Op, l.Enabled = GID(d.i32()), d.i32(), Op(d.u8()), d.u8() == 1
		l.Obj, l.Site, l.Seq = ObjID(d.i32()), Site(d.u64()), uint32(d.i32())
	}
	if n := d.rows(88); n > 0 {
		t.Plain = make([]Plain, n)
	}
	for i := range t.Plain {
		a := &t.Plain[i]
		a.G, a.Step, a.Write, a.Size, a.Site, a.After, a.Made = GID(d.i32()), d.i32(), d.u8() == 1,
			uint32(d.i32()), Site(d.u64()), d.i32(), d.i32()
		a.Valued, a.Value = d.u8() == 1, d.u64()
		a.Mem = Object{Kind: ObjMemory, Static: d.u8() == 1, Addr: uintptr(d.u64()), G: GID(d.i32()),
			N: d.i32(), Offset: uint32(d.i32()), Made: Site(d.u64()), Nth: d.i32()}
		a.Update, a.Key, a.Leaves = Update{UpdateKind(d.u8()), d.u64()}, d.u64(), Leaves(d.u8())
	}
	if n := d.rows(12); n > 0 {
		t.Compares = make([]Compare, n)
	}
	for i := range t.Compares {
		t.Compares[i] = Compare{d.i32(), d.u64()}
	}
	if n := d.rows(17); n > 0 {
		t.Updates = make([]Updated, n)
	}
	for i := range t.Updates {
		t.Updates[i] = Updated{d.i32(), uint32(d.i32()), Update{UpdateKind(d.u8()), d.u64()}}
	}
	if n := d.rows(12); n > 0 {
		t.Sent = make([]Sent, n)
	}
	for i := range t.Sent {
		t.Sent[i] = Sent{d.i32(), d.u64()}
	}
	if n := d.rows(37); n > 0 {
		t.Heads = make([]Head, n)
	}
	for i := range t.Heads {
		t.Heads[i] = Head{GID(d.i32()), d.u8() == 1, d.i32(), d.i32(), d.i32(), d.i32(), d.u64(),
			uint32(d.i32()), uint32(d.i32())}
	}
	if n := d.rows(8); n > 0 {
		t.Affects = make([]Affect, n)
	}
	for i := range t.Affects {
		t.Affects[i] = Affect{d.i32(), Effect(d.i32())}
	}
	if n := d.rows(37); n > 0 {
		t.Ways = make([]Way, n)
	}
	for i := range t.Ways {
		w := &t.Ways[i]
		w.G, w.Op, w.Obj, w.With = GID(d.i32()), Op(d.u8()), ObjID(d.i32()), d.i32()
		w.Case, w.WithCase = d.cases()
		w.Site, w.WithSite, w.Step = Site(d.u64()), Site(d.u64()), d.i32()
	}
	t.Twins, t.Crashed = d.gids(), d.gids()
	if n := d.rows(4); n > 0 {
		t.Calm = make([]int32, n)
	}
	for i := range t.Calm {
		t.Calm[i] = d.i32()
	}
	t.Spun = d.u8() == 1
	t.Untimed = Untimed(d.u8())
	t.Flow = d.flow(len(t.Events))
	if d.bad || len(d.b) > 0 {
		return nil, malformed("a trace")
	}
	return t, nil
}

func appendGIDs(b []byte, gs []GID) []byte {
	b = append32(b, len(gs))
	for _, g := range gs {
		b = append32(b, int(g))
	}
	return b
}

func (d *decoder) gids() (gs []GID) {
	if n := d.rows(4); n > 0 {
		gs = make([]GID, n)
	}
	for i := range gs {
		gs[i] = GID(d.i32())
	}
	return gs
}

func appendCases(b []byte, mine, with int16) []byte {
	return append32(b, int(uint16(mine))|int(uint16(with))<<16)
}

func append32(b []byte, n int) []byte {
	return append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

func append64(b []byte, n uint64) []byte {
	return append32(append32(b, int(uint32(n))), int(uint32(n>>32)))
}

// A decoder takes numbers from b. bad is set when b was too short.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) take(n int) []byte {
	if d.bad || n < 0 || n > len(d.b) {
		d.bad = true
		return make([]byte, min(max(n, 0), 8))
	}
	p := d.b[:n]
	d.b = d.b[n:]
	return p
}

// rows reads the number of rows that follow, each of at least size bytes.
func (d *decoder) rows(size int) int {
	n := int(d.i32())
	if n < 0 || n > len(d.b)/size {
		d.bad = true
		return 0
	}
	return n
}

// cases reads the cases of a step or a way.
func (d *decoder) cases() (mine, with int16) {
	x := uint32(d.i32())
	return int16(x), int16(x >> 16)
}

func (d *decoder) u8() byte { return d.take(1)[0] }

func (d *decoder) i32() int32 {
	p := d.take(4)
	return int32(uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24)
}

func (d *decoder) u64() uint64 {
	lo := uint32(d.i32())
	return uint64(lo) | uint64(uint32(d.i32()))<<32
}

func (d *decoder) text() string {
	n := int(d.i32())
	if n < 0 || n > len(d.b) {
		d.bad = true
		return ""
	}
	return string(d.take(n))
}

// malformed is the error that something is not what it says. Package errors may be under test where
// this is compiled in.
type malformed string

func (m malformed) Error() string { return "not " + string(m) }
