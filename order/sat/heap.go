package sat

// A varHeap has the variables that may be decided, the most active on top.
type varHeap struct {
	act   []float64 // by variable
	order []Var
	place []int32 // by variable; -1: not in the heap
}

func (h *varHeap) grow() {
	h.act = append(h.act, 0)
	h.place = append(h.place, -1)
	h.push(Var(len(h.act) - 1))
}

func (h *varHeap) push(v Var) {
	if h.place[v] >= 0 {
		return
	}
	h.place[v] = int32(len(h.order))
	h.order = append(h.order, v)
	h.up(len(h.order) - 1)
}

func (h *varHeap) pop() Var {
	v := h.order[0]
	last := h.order[len(h.order)-1]
	h.order = h.order[:len(h.order)-1]
	h.place[v] = -1
	if len(h.order) > 0 {
		h.order[0], h.place[last] = last, 0
		h.down(0)
	}
	return v
}

// raised restores the heap order after the activity of v rose.
func (h *varHeap) raised(v Var) {
	if i := h.place[v]; i >= 0 {
		h.up(int(i))
	}
}

func (h *varHeap) up(i int) {
	v := h.order[i]
	for i > 0 {
		parent := (i - 1) / 2
		p := h.order[parent]
		if h.act[v] <= h.act[p] {
			break
		}
		h.order[i], h.place[p] = p, int32(i)
		i = parent
	}
	h.order[i], h.place[v] = v, int32(i)
}

func (h *varHeap) down(i int) {
	v := h.order[i]
	for {
		c := 2*i + 1
		if c >= len(h.order) {
			break
		}
		if c+1 < len(h.order) && h.act[h.order[c+1]] > h.act[h.order[c]] {
			c++
		}
		w := h.order[c]
		if h.act[v] >= h.act[w] {
			break
		}
		h.order[i], h.place[w] = w, int32(i)
		i = c
	}
	h.order[i], h.place[v] = v, int32(i)
}
