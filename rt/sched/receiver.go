package sched

import (
	"unsafe"

	"heddle/rt/hook"
)

// Receivers. A method with a value receiver that is called by way of a pointer, which an interface
// holds, reads what that points to. So does a method that is promoted from an embedded field: it
// reads the field, or pointers and interfaces on the way. The compiler makes the code that does so,
// and nothing of it is in the source. What is read follows from the types.

// A methodKey is a type and the name of a method.
type methodKey = hook.MethodID

// A methodInfo is what a call of a method reads of a value in memory.
type methodInfo struct {
	key       methodKey
	how       uint8 // see methodOn
	off, size uintptr
	field     unsafe.Pointer
}

// A dynamicInfo is what is known of an interface's dynamic type and a method of it.
type dynamicInfo struct {
	key    methodKey
	t      unsafe.Pointer // of the value in memory
	how    uint8
	size   uintptr
	held   bool // the interface holds a pointer to it
	direct bool
}

var (
	methods  [len(hook.Silent)]methodInfo
	dynamics [len(hook.Silent)]dynamicInfo
)

func methodOf(k methodKey, name string) *methodInfo {
	m := &methods[k.Slot()]
	if m.key != k {
		*m = methodInfo{key: k}
		m.how, m.off, m.size, m.field = methodOn(k.Type, name)
	}
	return m
}

func dynamicOf(k methodKey, name string) *dynamicInfo {
	d := &dynamics[k.Slot()]
	if d.key != k {
		*d = dynamicInfo{key: k, t: k.Type}
		elem, direct, _ := dynamic(k.Type)
		if d.direct = direct; elem != nil {
			d.t, d.held = elem, true
		}
		m := methodOf(methodKey{Type: d.t, Name: k.Name}, name)
		d.how, d.size = m.how, m.size
	}
	return d
}

// receiver is the hook for a call of a method by way of an interface.
func receiver(t, data unsafe.Pointer, name string, site hook.Site) {
	if hook.Cur != getg() {
		return
	}
	d := dynamicOf(methodKey{Type: t, Name: unsafe.Pointer(unsafe.StringData(name))}, name)
	switch {
	case d.how == 0 || d.how == 1 && !d.held:
		hook.Silent[d.key.Slot()] = d.key
		return
	case data == nil:
		return
	case d.how == 1:
		read(data, d.size, site)
		return
	}
	eachRead(d, data, name, func(p unsafe.Pointer, n uintptr) { read(p, n, site) })
}

// receiverReads is receiver for a caller that announces the reads itself.
func receiverReads(t, data unsafe.Pointer, name string, read func(p unsafe.Pointer, n uintptr)) {
	d := dynamicOf(methodKey{Type: t, Name: unsafe.Pointer(unsafe.StringData(name))}, name)
	if hook.Cur == getg() && d.how != 0 {
		eachRead(d, data, name, read)
	}
}

// eachRead yields what the call of a method of the value reads that an interface has in its word
// data.
func eachRead(d *dynamicInfo, data unsafe.Pointer, name string, yield func(p unsafe.Pointer, n uintptr)) {
	const word = unsafe.Sizeof(data)
	word0 := unsafe.Pointer(unsafe.StringData(name))
	t, p, own := d.t, data, !d.held // own: a copy that nothing changes
	if own && d.direct {
		p = unsafe.Pointer(&data)
	}
	for p != nil {
		m := methodOf(methodKey{Type: t, Name: word0}, name)
		at := unsafe.Add(p, m.off)
		switch m.how {
		case 1:
			if !own {
				yield(p, m.size)
			}
			return
		case 2:
			t, p = m.field, at
		case 3:
			if !own {
				yield(at, word)
			}
			elem, _, _ := dynamic(m.field)
			t, p, own = elem, *(*unsafe.Pointer)(at), false
		case 4:
			if !own {
				yield(at, 2*word)
			}
			w := (*[2]unsafe.Pointer)(at)
			if w[0] == nil {
				return
			}
			d := dynamicOf(methodKey{Type: hook.TypeOf(w[0]), Name: word0}, name)
			t, p, own = d.t, w[1], !d.held
			if own && d.direct {
				p = unsafe.Pointer(&w[1])
			}
		default:
			return
		}
	}
}

// A heldReceiver is one whose call waits for the arguments.
type heldReceiver struct {
	t, data unsafe.Pointer
	site    hook.Site
}

// holds returns the dynamic type and the word of an interface that holds the value at x; t is the
// type of a pointer to it. A value that the interface would copy stays where it is.
func holds(t, x unsafe.Pointer) (typ, data unsafe.Pointer) {
	elem, _, _ := dynamic(t)
	switch _, direct, iface := dynamic(elem); {
	case iface:
		w := (*[2]unsafe.Pointer)(x)
		if w[0] == nil {
			return nil, nil
		}
		return hook.TypeOf(w[0]), w[1]
	case direct:
		return elem, *(*unsafe.Pointer)(x)
	}
	return elem, x
}

// receiverAny is hook.ReceiverAny.
func receiverAny(t, x unsafe.Pointer, name string, site hook.Site) {
	if hook.Cur != getg() {
		return
	}
	if typ, data := holds(t, x); typ != nil {
		receiver(typ, data, name, site)
	}
}

// hold keeps a receiver until fire is called with the same site.
func hold(t, x unsafe.Pointer, site hook.Site) {
	if hook.Cur != getg() {
		return
	}
	if typ, data := holds(t, x); typ != nil {
		g := S.cur
		g.held = append(g.held, heldReceiver{typ, data, site})
	}
}

// fire announces what the call reads whose receiver hold kept: the arguments are known now. What
// was kept since then is dropped, since calls that panicked have left it.
func fire(name string, site hook.Site) {
	if hook.Cur != getg() {
		return
	}
	g := S.cur
	for i := len(g.held) - 1; i >= 0; i-- {
		if h := g.held[i]; h.site == site {
			g.held = g.held[:i]
			receiver(h.t, h.data, name, site)
			return
		}
	}
}
