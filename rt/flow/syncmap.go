package flow

import "heddle/rt/hook"

// A sync.Map where labels are expressions has the labels of its keys and values as maps have
// (Entry). The call says which labels go in; what the map holds when its turn comes is known at the
// hook, before the native operation.

// A MapMethod is what is done with a sync.Map, as package sync names it.
type MapMethod uint8

// The methods of sync.Map, as added/sync.go.txt of instrument/std has them. SyncNext is Range that
// looks whether the next key is still there.
const (
	SyncLoad MapMethod = iota
	SyncStore
	SyncLoadOrStore
	SyncLoadAndDelete
	SyncDelete
	SyncSwap
	SyncCompareAndSwap
	SyncCompareAndDelete
	SyncRange
	SyncNext
	SyncClear
)

// A mapCall has the labels of a key and up to two values that a call of such a method is given.
type mapCall struct {
	on   bool
	site hook.Site
	key  Label
	vals [2]Label
}

// OutSyncMap is Out before a call of a method of sync.Map, with the labels of its key and values.
func OutSyncMap[T any](v T, c *Call, s hook.Site, key, a, b Label) T {
	Out(0, 0, c)
	if c.mapped = c.on && Exprs; c.mapped {
		g := Running()
		g.mapCall, g.mapGives = mapCall{true, s, key, [2]Label{a, b}}, 0
	}
	return v
}

// A MapLook is a method about to be done: the map's address, the keys that are there, the one that
// is asked about with its value, and the values that the method is given: of a CompareAndSwap the
// one to compare with first.
type MapLook struct {
	P        uintptr
	Method   MapMethod
	Keys     []any
	Key, Was any
	Vals     [2]any
}

// keyOfAny is keyOf for a key whose type is known only now.
func keyOfAny(x any) (k key) {
	k.val = x
	g := hook.Cur
	hook.Cur = 0
	k.enc = Encode([1]any{x})
	hook.Cur = g
	return k
}

// sortedKeys returns the keys in an order that inputs do not change, with their labels.
func sortedKeys(p uintptr, keys []any) (ks []key) {
	for _, x := range keys {
		k := keyOfAny(x)
		k.l = entries[entryKey{p, k.enc}].key
		for i, enc := range keyed[p] {
			if enc == k.enc {
				k.at = i + 1
			}
		}
		i := len(ks)
		for ks = append(ks, k); i > 0 && k.before(&ks[i-1]); i-- {
			ks[i] = ks[i-1]
		}
		ks[i] = k
	}
	return ks
}

// SyncMap is told of x, which is about to be done by the running goroutine.
func SyncMap(x *MapLook) {
	g := Running()
	call := g.mapCall
	g.mapCall, g.mapGives = mapCall{}, 0
	if x.Method == SyncClear {
		forget(x.P)
		return
	}
	if !call.on && x.Method != SyncNext {
		call.site = userSite()
	}
	if x.Method == SyncRange {
		orderedKeys(sortedKeys(x.P, x.Keys), call.site)
		return
	}
	e := Entry{m: x.P, many: len(x.Keys) > mostKeys}
	if !e.many {
		e.keys = sortedKeys(x.P, x.Keys)
	}
	k := keyOfAny(x.Key)
	if k.l = call.key; x.Method == SyncNext {
		e.key = k // it was compared when it was added
		return
	}
	e.choose(k, call.site)
	if e.many {
		e.found = e.has(x.Keys)
	}
	g.mapGives = e.method(x, &call)
	if !call.on { // the one that called does not take it
		g.mapGives = drop(g.mapGives)
	}
}

// has reports whether the key is one of these.
func (e *Entry) has(keys []any) bool {
	for _, x := range keys {
		if e.key.enc != "" && keyOfAny(x).enc == e.key.enc {
			return true
		}
	}
	return false
}

// method gives the entry the labels that it has after x and returns that of the first result.
func (e *Entry) method(x *MapLook, call *mapCall) Label {
	was := Label(0)
	if e.found {
		was = e.Get()
	}
	switch x.Method {
	case SyncLoad:
		return was
	case SyncStore, SyncSwap:
		e.Set(call.vals[0])
		return was
	case SyncLoadOrStore:
		if e.found {
			return was
		}
		e.Set(call.vals[0])
		return call.vals[0]
	case SyncLoadAndDelete, SyncDelete:
		e.remove()
		return was
	}
	if !e.found || !e.swaps(x, was, call) {
		return 0
	}
	if x.Method == SyncCompareAndSwap {
		e.Set(call.vals[1])
	} else {
		e.remove()
	}
	return 0
}

// remove is told that the entry is deleted.
func (e *Entry) remove() {
	e.gone = true
	e.put(entry{})
}

// swaps reports whether the value that is there, with the label was, is the one that x compares
// with.
func (e *Entry) swaps(x *MapLook, was Label, call *mapCall) bool {
	if l := same2(x.Was, x.Vals[0], was, call.vals[0], false, call.site); l != 0 {
		is := values[l] == 1
		once(l, is, call.site)
		return is
	}
	defer func() { _ = recover() }() // such values cannot be compared: the operation panics too
	return x.Was == x.Vals[0]
}

// orderedKeys is ordered for the keys of a sync.Map.
func orderedKeys(ks []key, s hook.Site) {
	for i := range ks {
		if i > 0 && (ks[i].labelled() || ks[0].labelled()) {
			noteLost(s) // which key comes first
			return
		}
	}
}

// SyncTake is told what that function has returned: whether Range goes on is a branch. If it does
// not, that may be a return within a loop over Range, whose results are not followed: where a map
// has labels they are lost.
func SyncTake(more bool, s hook.Site) {
	switch {
	case !Exprs || !here():
	case more:
		condition(more, Got(1, 0)[0], s)
	case len(entries)+len(keyed) > 0:
		noteLost(s)
	}
}

// SyncGive has the function that Range calls next get the labels of a key and its value.
func SyncGive(p uintptr, x any) {
	if !Exprs || !here() {
		return
	}
	l := entries[entryKey{p, keyOfAny(x).enc}]
	args.fill(2, []Label{0, l.key, l.val})
	results.set = false
}
