package cluster

import (
	"slices"

	"heddle/rt/wire"
)

// hands has the Items that are handed out until their results come.
type hands struct {
	items  map[int]*wire.Item // by number
	undone []*wire.Item       // those of items that came back
}

// give records that an Item is handed out.
func (h *hands) give(it *wire.Item) {
	if h.items == nil {
		h.items = make(map[int]*wire.Item)
	}
	h.items[it.N] = it
}

// again returns an Item that came back, or nil.
func (h *hands) again() *wire.Item {
	if len(h.undone) == 0 {
		return nil
	}
	it := h.undone[0]
	h.undone = h.undone[1:]
	return it
}

// back takes back an Item, unless it is done by now.
func (h *hands) back(it *wire.Item) {
	if it = h.items[it.N]; it != nil && !slices.Contains(h.undone, it) {
		h.undone = append(h.undone, it)
	}
}

// done removes and returns the Item whose result has come, or nil if an earlier result came
// before.
func (h *hands) done(number int) *wire.Item {
	it := h.items[number]
	delete(h.items, number)
	h.undone = slices.DeleteFunc(h.undone, func(x *wire.Item) bool { return x == it })
	return it
}
