package hook

import "unsafe"

// Methods that are called by way of an interface: what the call reads follows from the dynamic
// type, see rt/sched/receiver.go.

// Calls of methods; the scheduler sets these variables.
var (
	// Receiver says that the method of that name is called of the value of type t that an interface
	// has in its word data.
	Receiver func(t, data unsafe.Pointer, name string, s Site)
	// ReceiverReads yields what the call reads.
	ReceiverReads func(t, data unsafe.Pointer, name string, read func(p unsafe.Pointer, n uintptr))
	// ReceiverAny is Receiver for the value at x, of any type: t is that of a pointer to it.
	ReceiverAny func(t, x unsafe.Pointer, name string, s Site)
	// HoldReceiver keeps what ReceiverAny would be told until FireReceiver, with the same site.
	HoldReceiver func(t, x unsafe.Pointer, s Site)
	FireReceiver func(name string, s Site)
)

// TypeOf returns the dynamic type that an itab is of: see internal/abi.ITab.
func TypeOf(itab unsafe.Pointer) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(itab, unsafe.Sizeof(itab)))
}

// Of returns x, an interface with methods, of which the method of that name is called at once. It
// is inlined, and so the compiler still sees what type x has.
func Of[T any](x T, name string, s Site) T {
	if On {
		of(any(x), name, s)
	}
	return x
}

// A MethodID is a dynamic type, and the name of a method by the address of its first byte.
type MethodID struct{ Type, Name unsafe.Pointer }

// Silent has methods that read nothing when they are called by way of an interface, each at its
// Slot.
var Silent [256]MethodID

// Slot is where a method is in tables of them.
func (m MethodID) Slot() uintptr {
	return (uintptr(m.Type)>>5 ^ uintptr(m.Name)) % uintptr(len(Silent))
}

//go:noinline
func of(x any, name string, s Site) {
	w := words(&x)
	if m := (MethodID{w[0], unsafe.Pointer(unsafe.StringData(name))}); w[0] != nil && Silent[m.Slot()] != m {
		Receiver(w[0], w[1], name, s)
	}
}

// OfAny is Of where the type of x may be anything: that of a type parameter, or a pointer.
func OfAny[T any](x T, name string, s Site) T {
	if On {
		var p any = (*T)(nil)
		ReceiverAny(words(&p)[0], noescape(unsafe.Pointer(&x)), name, s)
	}
	return x
}

// Hold is Of and OfAny where an argument is yet to be evaluated that calls a function or receives:
// Then stands around the last such one.
func Hold[T any](x T, s Site) T {
	if On {
		var p any = (*T)(nil)
		HoldReceiver(words(&p)[0], noescape(unsafe.Pointer(&x)), s)
	}
	return x
}

// Then returns an argument: the call can be made now.
func Then[A any](a A, name string, s Site) A {
	if On {
		FireReceiver(name, s)
	}
	return a
}

func words[T any](x *T) *[2]unsafe.Pointer {
	return (*[2]unsafe.Pointer)(noescape(unsafe.Pointer(x)))
}
