package queue

// A Feed tells of new orders.
type Feed struct {
	C chan int
}

// NewFeed returns a feed with room for n orders.
func NewFeed(n int) *Feed { return &Feed{make(chan int, n)} }

// Tell sends an order.
func (f *Feed) Tell(n int) { f.C <- n }

// Stop closes the feed while others may still send.
func (f *Feed) Stop() { close(f.C) }
