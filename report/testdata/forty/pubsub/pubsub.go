// Package pubsub sends messages to all subscribers.
package pubsub

import "sync"

type Hub struct {
	mu   sync.Mutex
	subs map[int]chan string
	next int
}

func New() *Hub { return &Hub{subs: map[int]chan string{}} }

func (h *Hub) Subscribe() (id int, messages <-chan string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	c := make(chan string)
	h.subs[h.next] = c
	return h.next, c
}

func (h *Hub) Unsubscribe(id int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subs, id)
}

// Publish sends a message to all subscribers.
func (h *Hub) Publish(message string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.subs {
		c <- message
	}
}
