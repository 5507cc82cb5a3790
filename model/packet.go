package model

import "heddle/trace"

// Counters of a socket.
const (
	packets Counter = iota // in its buffer
	gate                   // one of the constants below
	refused                // 1: the next operation of the owner returns ECONNREFUSED
)

// Values of gate. A socket is an object from when it is opened.
const (
	opened   = iota
	expired  // the read deadline may have passed
	shut     // the socket is closed
	external // the kernel serves the socket
)

func usable() Need { return Need{Counter: gate, Min: opened, Max: expired} }

// packet is a UDP socket on loopback, with the buffer of the packets that have arrived. A packet
// arrives in the step that sends it, after all packets sent before, by any sender: the kernel has
// one queue for each socket. The reader observes that order, so two sends to one socket do not
// commute. Nor do a send and a read, as the read finds the packet or not. That is exact; it is less
// reduced than it could be where the buffer holds packets for both.
//
// Packets give no order: the Go memory model does not name them, and go test -race reports
// variables that are handed over by ReadFrom and WriteTo.
var packet = &Primitive{
	Kind: trace.ObjSocket, Counters: []string{"packets", "gate", "refused"},
	Blocking: []trace.Op{trace.OpPacketRecv},
	Rules: []Rule{
		{Op: trace.OpPacketSend, Arg: 0, Needs: []Need{is(gate, shut)}, Mode: Usable},
		{Op: trace.OpPacketSend, Arg: trace.SocketNative, Needs: []Need{is(gate, external)}, Mode: Usable},
		{Op: trace.OpPacketSend, Arg: 1, Needs: []Need{usable(), room(packets)},
			Effects: []Effect{add(packets, 1)}, Mode: Packet},
		{Op: trace.OpPacketSend, Arg: trace.PacketDropped, Needs: []Need{usable()}, Mode: Packet},

		{Op: trace.OpPacketRecv, Arg: 0, Needs: []Need{is(gate, shut)}, Mode: Usable},
		{Op: trace.OpPacketRecv, Arg: trace.SocketNative, Needs: []Need{is(gate, external)}, Mode: Usable},
		{Op: trace.OpPacketRecv, Arg: trace.SocketExpired, Needs: []Need{is(gate, expired)}, Mode: Usable},
		{Op: trace.OpPacketRecv, Arg: trace.SocketRefused, Needs: []Need{is(gate, opened), is(refused, 1)},
			Effects: []Effect{set(refused, 0)}, Mode: Write},
		{Op: trace.OpPacketRecv, Arg: 1, Needs: []Need{is(gate, opened), least(packets, 1)},
			Effects: []Effect{add(packets, -1)}, Mode: Packet},

		{Op: trace.OpSocketUse, Arg: 0, Needs: []Need{is(gate, shut)}, Mode: Usable},
		{Op: trace.OpSocketUse, Arg: trace.SocketNative, Needs: []Need{is(gate, external)}, Mode: Usable},
		{Op: trace.OpSocketUse, Arg: trace.SocketRefused, Needs: []Need{usable(), is(refused, 1)},
			Effects: []Effect{set(refused, 0)}, Mode: Write},
		{Op: trace.OpSocketUse, Arg: 1, Needs: []Need{usable()}, Mode: Usable},

		{Op: trace.OpSocketClose, Effects: []Effect{set(gate, shut)}, Mode: Write},
		{Op: trace.OpSocketExpire, Arg: 1, Needs: []Need{usable()},
			Effects: []Effect{set(gate, expired)}, Mode: Write},
		{Op: trace.OpSocketExpire, Arg: 0, Mode: Usable},
		{Op: trace.OpSocketRenew, Arg: 1, Needs: []Need{usable()},
			Effects: []Effect{set(gate, opened)}, Mode: Write},
		{Op: trace.OpSocketRenew, Arg: 0, Mode: Usable},
		{Op: trace.OpSocketRefuse, Arg: 1, Needs: []Need{usable()},
			Effects: []Effect{set(refused, 1)}, Mode: Write},
		{Op: trace.OpSocketRefuse, Arg: 0, Mode: Usable},
		{Op: trace.OpSocketGive, Arg: 1, Needs: []Need{usable()},
			Effects: []Effect{set(gate, external)}, Mode: Write},
		{Op: trace.OpSocketGive, Arg: 0, Mode: Usable},
	},
}
