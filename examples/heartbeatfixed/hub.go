// Package heartbeatfixed keeps the rooms of a chat with their guests, and greets them periodically.
package heartbeatfixed

import (
	"sync"
	"time"
)

// A Hub knows all rooms.
type Hub struct {
	mu    sync.Mutex
	rooms map[string]*Room
	beats chan struct{}
}

// A Room knows its guests.
type Room struct {
	hub    *Hub
	name   string
	mu     sync.Mutex
	guests int
}

// NewHub returns a Hub whose heart beats for as long as the program runs.
func NewHub() *Hub {
	h := &Hub{rooms: map[string]*Room{}, beats: make(chan struct{}, 1)}
	go h.beat()
	return h
}

func (h *Hub) beat() {
	for range time.Tick(time.Second) {
		select {
		case h.beats <- struct{}{}:
		default: // no goroutine listens
		}
	}
}

// Enter adds a guest to a room, which is made if necessary.
func (h *Hub) Enter(name string) *Room {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[name]
	if r == nil {
		r = &Room{hub: h, name: name}
		h.rooms[name] = r
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.guests++
	return r
}

// Leave removes a guest; the last one closes the room. The hub's lock comes first, as in Enter.
func (r *Room) Leave() {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.guests--
	if r.guests == 0 {
		delete(r.hub.rooms, r.name)
	}
}
