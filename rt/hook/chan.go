package hook

import "unsafe"

// A SendTo is a channel about to be sent to: ch <- v becomes To(ch, s).Send(v).
type SendTo[T any] struct {
	c chan<- T
	s Site
}

// To names the channel of a send.
func To[T any](c chan<- T, s Site) SendTo[T] { return SendTo[T]{c, s} }

// Send is ch <- v.
func (t SendTo[T]) Send(v T) {
	if !Here() {
		t.c <- v
		return
	}
	for {
		act, peer := ChanOp(true, chanptr(&t.c), cap(t.c), noescape(unsafe.Pointer(&v)), t.s)
		if doSend(t.c, &v, act, peer) {
			break
		}
	}
	if Rec {
		Note(v)
	}
}

// doSend moves a value as act says; false: it could not after all, ask again.
func doSend[T any](c chan<- T, v *T, act Act, peer unsafe.Pointer) bool {
	switch act {
	case ActPeer:
		*(*T)(peer) = *v
	case ActBuffer, ActOwn:
		if act == ActOwn && chanput(chanptr(&c), unsafe.Pointer(v)) {
			return true
		}
		select {
		case c <- *v:
		default:
			ChanPolled(chanptr(&c), false) // a goroutine outside control was faster
			return false
		}
	case ActNative:
		c <- *v
	}
	return true
}

// doRecv moves a value as act says; done is false when it could not after all.
func doRecv[T any](c <-chan T, v *T, act Act, peer unsafe.Pointer) (ok, done bool) {
	switch act {
	case ActDone:
		return true, true
	case ActPeer:
		*v = *(*T)(peer)
		return true, true
	case ActBuffer, ActOwn, ActRefill:
		if act == ActOwn && chantake(chanptr(&c), unsafe.Pointer(v)) {
			return true, true
		}
		select {
		case x, open := <-c:
			*v = x
			if act == ActRefill {
				(*(*chan T)(unsafe.Pointer(&c))) <- *(*T)(peer)
			}
			return open, true
		default:
			ChanPolled(chanptr(&c), false)
			return false, false
		}
	}
	var zero T
	*v = zero
	return false, true // ActClosed, ActNative
}

// Recv is <-c.
func Recv[T any](c <-chan T, s Site) T {
	v, _ := Recv2(c, s)
	return v
}

// Recv2 is v, ok := <-c.
func Recv2[T any](c <-chan T, s Site) (T, bool) {
	if !Here() {
		v, ok := <-c
		return v, ok
	}
	var v T
	for {
		act, peer := ChanOp(false, chanptr(&c), cap(c), noescape(unsafe.Pointer(&v)), s)
		ok, done := doRecv(c, &v, act, peer)
		if done {
			if Rec {
				Note(v)
			}
			return v, ok
		}
	}
}

// Close is close(c).
func Close[T any](c chan<- T, s Site) {
	if Here() && !ChanClose(chanptr(&c), s) {
		return
	}
	close(c)
}

// Len is len(c).
func Len[T any](c chan T, s Site) int {
	if c != nil && Here() {
		ChanLen(chanptr(&c), s)
	}
	return len(c)
}

// LenRecv is len(c) of a receive-only channel.
func LenRecv[T any](c <-chan T, s Site) int {
	if c != nil && Here() {
		ChanLen(chanptr(&c), s)
	}
	return len(c)
}

// LenSend is len(c) of a send-only channel.
func LenSend[T any](c chan<- T, s Site) int {
	if c != nil && Here() {
		ChanLen(chanptr(&c), s)
	}
	return len(c)
}

func chanptr[C any](c *C) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(c)) }

// A Case is what the scheduler sees of a select's case.
type Case struct {
	Ch   unsafe.Pointer // nil: never ready
	Cap  int
	Send bool
	Slot unsafe.Pointer
}

// A SelectCase is a *RecvCase[T] or a *SendCase[T].
type SelectCase interface {
	base() Case
	do(act Act, peer unsafe.Pointer) (done bool)
	polled(ok bool)
	note()
}

// A RecvCase is a receive in a select; V and OK are set when it was chosen.
type RecvCase[T any] struct {
	c  <-chan T
	V  T
	OK bool
}

// A SendCase is a send in a select.
type SendCase[T any] struct {
	c chan<- T
	v T
}

// OnRecv evaluates the channel of a receive case.
func OnRecv[T any](c <-chan T) *RecvCase[T] { return &RecvCase[T]{c: c} }

// OnSend evaluates the channel of a send case, Of its value: case ch <- v becomes OnSend(ch).Of(v).
func OnSend[T any](c chan<- T) *SendCase[T] { return &SendCase[T]{c: c} }

// Of evaluates the value of a send case.
func (c *SendCase[T]) Of(v T) *SendCase[T] {
	c.v = v
	return c
}

func (c *RecvCase[T]) base() Case {
	return Case{Ch: chanptr(&c.c), Cap: cap(c.c), Slot: unsafe.Pointer(&c.V)}
}

func (c *SendCase[T]) base() Case {
	return Case{Ch: chanptr(&c.c), Cap: cap(c.c), Send: true, Slot: unsafe.Pointer(&c.v)}
}

func (c *RecvCase[T]) do(act Act, peer unsafe.Pointer) (done bool) {
	c.OK, done = doRecv(c.c, &c.V, act, peer)
	return done
}

func (c *SendCase[T]) do(act Act, peer unsafe.Pointer) bool { return doSend(c.c, &c.v, act, peer) }

func (c *RecvCase[T]) polled(ok bool) { c.OK = ok }
func (c *SendCase[T]) polled(bool)    {}

func (c *RecvCase[T]) note() { Note(c.V) }
func (c *SendCase[T]) note() { Note(c.v) }

// Select is a select statement with the cases cs in source order; def: it has a
// default. It returns the index of the case that was done, -1 for default:
//
//	select {                      switch c0, c1 := OnRecv(a), OnSend(b).Of(f()); Select(s, true, c0, c1) {
//	case v := <-a:                case 0: v := c0.V;
//	case b <- f():                case 1:
//	default:                      default:
//	}                             }
//
// A select without default gets "default: panic(hook.NoCase)" so that it still counts as
// terminating.
func Select(s Site, def bool, cs ...SelectCase) int {
	if !Here() {
		return plainSelect(def, cs)
	}
	var fixed [8]Case
	bases := fixed[:0]
	if len(cs) > len(fixed) {
		bases = make([]Case, 0, len(cs))
	}
	for _, c := range cs {
		bases = append(bases, c.base())
	}
	for {
		list := *(*[]Case)(noescape(unsafe.Pointer(&bases)))
		i, act, peer := ChanSelect(list, def, s)
		if i < 0 {
			return i
		}
		if cs[i].do(act, peer) {
			if Rec {
				cs[i].note()
			}
			return i
		}
	}
}

// NoCase is what the unreachable default of a rewritten select panics with.
const NoCase = "heddle: select returned without a case"

// Block is select {}.
func Block(s Site) {
	if Here() {
		ChanSelect(nil, false, s)
	}
	select {}
}

// runtimeSelect mirrors runtime.runtimeSelect.
type runtimeSelect struct {
	dir uint
	_   unsafe.Pointer // the type, which the runtime does not use
	ch  unsafe.Pointer
	val unsafe.Pointer
}

func plainSelect(def bool, cs []SelectCase) int {
	rs := make([]runtimeSelect, 0, len(cs)+1)
	for _, c := range cs {
		b := c.base()
		dir := uint(2)
		if b.Send {
			dir = 1
		}
		rs = append(rs, runtimeSelect{dir: dir, ch: b.Ch, val: b.Slot})
	}
	if def {
		rs = append(rs, runtimeSelect{dir: 3})
	}
	i, ok := rselect(rs)
	if i == len(cs) {
		return -1
	}
	cs[i].polled(ok)
	return i
}
