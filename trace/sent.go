package trace

// A Sent is a value that was sent to a channel. Two values of one channel with one number are the
// same, byte for byte. Values that have pointers have no number, but for zero, which is 0; nor have
// large ones.
type Sent struct {
	Event  int32 // of the send
	Number uint64
}
