package syn

import "slices"

// open reports whether the sending event s is open at r.
func open(s, r *Event) bool {
	if r.Owner == s.Dest { // a semaphore or monitor
		return slices.Contains(r.OpenList, s.Operation)
	}
	return r.Owner == ThreadName(r.Thread) && slices.Contains(r.OpenList, s.Dest)
}

// RaceSet is Proposition 2: the sending events that have a lead race with the partner of r, in
// order. It is empty for a receiving event without a partner.
func (q *Sequence) RaceSet(r *Event) []*Event {
	var set []*Event
	for _, s := range q.Events {
		if s.Sends && s != r.Partner && q.races(s, r) {
			set = append(set, s)
		}
	}
	return set
}

func (q *Sequence) races(s, r *Event) bool {
	if !open(s, r) || q.before(r, s) {
		return false
	}
	if t := s.Partner; t != nil && !q.before(r, t) {
		return false
	}
	for _, o := range q.Events { // FIFO
		if o.Sends && o != s && o.Thread == s.Thread && o.Dest == s.Dest && o.Index < s.Index &&
			(o.Partner == nil || !q.before(o.Partner, r)) {
			return false
		}
	}
	return true
}
