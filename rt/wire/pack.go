package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Clips and stories of long executions have tens of thousands of entries, of which few differ. In
// JSON those that are equal are written once, and then the order in which they come.

// Steps are the steps of a clip. Those that were read may share what Call and Arg point to.
type Steps []Step

// Events are the events of a story. Those that were read may share what Call points to.
type Events []Event

// packFrom is from how many entries on they are packed: what is short stays readable.
const packFrom = 64

// A pack has the different entries, and in Order the index of each entry as a varint.
type pack[T any] struct {
	Each  []T
	Order []byte
}

// packed returns the JSON of entries. like returns what is equal for equal entries; ok is false
// where an entry is none like others.
func packed[T any, K comparable](entries []T, like func(*T) (key K, ok bool)) ([]byte, error) {
	p := pack[T]{}
	index := make(map[K]int)
	for i := range entries {
		key, ok := like(&entries[i])
		n, known := index[key]
		if !ok || !known {
			n = len(p.Each)
			p.Each = append(p.Each, entries[i])
			if ok {
				index[key] = n
			}
		}
		p.Order = binary.AppendUvarint(p.Order, uint64(n))
	}
	return json.Marshal(p)
}

// unpacked is the inverse of packed, and reads a plain array too.
func unpacked[T any](data []byte) ([]T, error) {
	var entries []T
	if len(data) > 0 && data[0] != '{' {
		return entries, json.Unmarshal(data, &entries)
	}
	var p pack[T]
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	entries = make([]T, 0, len(p.Order))
	for len(p.Order) > 0 {
		n, size := binary.Uvarint(p.Order)
		if size <= 0 || n >= uint64(len(p.Each)) {
			return nil, fmt.Errorf("entry %d of %d is to come next, which there is not", n, len(p.Each))
		}
		entries = append(entries, p.Each[n])
		p.Order = p.Order[size:]
	}
	return entries, nil
}

// MarshalJSON implements json.Marshaler.
func (s Steps) MarshalJSON() ([]byte, error) {
	if len(s) < packFrom {
		return json.Marshal([]Step(s))
	}
	return packed(s, func(st *Step) (key stepKey, ok bool) {
		key = stepKey{Step: *st, calls: st.Call != nil, args: st.Arg != nil}
		key.Call, key.Arg = nil, nil
		if key.calls {
			key.call = *st.Call
		}
		if key.args {
			key.arg = *st.Arg
		}
		return key, true
	})
}

// A stepKey is a Step with values in the place of pointers.
type stepKey struct {
	Step
	calls, args bool
	call        Place
	arg         int64
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Steps) UnmarshalJSON(data []byte) (err error) {
	*s, err = unpacked[Step](data)
	return err
}

// An eventKey is an Event without Frames, and with a value in the place of a pointer.
type eventKey struct {
	index, step, partner int
	g, op, object        string
	arg                  int64
	obj, cap             int
	value, child         string
	where                Place
	call                 Place
	flags                [4]bool
	nth, cases, stack    int
}

func keyOfEvent(e *Event) (key eventKey, ok bool) {
	key = eventKey{index: e.Index, step: e.Step, partner: e.Partner, g: e.G, op: e.Op, object: e.Object,
		arg: e.Arg, obj: e.Obj, cap: e.Cap, value: e.Value, child: e.Child, where: e.Where,
		flags: [4]bool{e.Switch, e.Quiet, e.Waits, e.Call != nil}, nth: e.Case, cases: e.Cases,
		stack: e.Stack}
	if e.Call != nil {
		key.call = *e.Call
	}
	return key, e.Frames == nil
}

// MarshalJSON implements json.Marshaler. Numbers of events and steps are written as differences, by
// which events are more alike.
func (s Events) MarshalJSON() ([]byte, error) {
	if len(s) < packFrom {
		return json.Marshal([]Event(s))
	}
	events := make([]Event, len(s))
	step := 0
	for i, e := range s {
		if e.Partner >= 0 {
			e.Partner -= e.Index
		} else {
			e.Partner = noPartner
		}
		e.Index, e.Step, step = e.Index-i, e.Step-step, e.Step
		events[i] = e
	}
	return packed(events, keyOfEvent)
}

// noPartner is the Partner, in JSON, of a packed event without one.
const noPartner = 1 << 30

// UnmarshalJSON implements json.Unmarshaler.
func (s *Events) UnmarshalJSON(data []byte) error {
	events, err := unpacked[Event](data)
	if err == nil && len(data) > 0 && data[0] == '{' {
		step := 0
		for i := range events {
			e := &events[i]
			e.Index, e.Step = e.Index+i, e.Step+step
			step = e.Step
			if e.Partner == noPartner {
				e.Partner = -1
			} else {
				e.Partner += e.Index
			}
		}
	}
	*s = events
	return err
}
