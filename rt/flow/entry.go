package flow

import (
	"unsafe"

	"heddle/rt/counters"
	"heddle/rt/hook"
	"heddle/trace"
)

// Maps where labels are expressions: every key that is there has a label of its own, and so has its
// value. Which of them a key is that is looked for, is a branch for each until it is found.
// So along a path it is known which keys are equal.

// A key is a key of a map, or one that is looked for.
type key struct {
	enc string    // equal for equal keys; "": it is not known
	k   trace.Num // of a number; aText for a string, 0 for others
	num uint64
	str string
	val any // of others
	l   Label
	at  int // place in keyed from 1 on, 0 for one that depends on no input
}

// before reports whether k is asked about before c.
func (k *key) before(c *key) bool { return k.at < c.at || k.at == c.at && k.enc < c.enc }

// An Entry is a key of a map, about to be used.
type Entry struct {
	m     uintptr
	keys  []key // those that are there, in an order of their own, where they are few
	key   key
	many  bool // there are more than are asked about
	found bool
	gone  bool // the entry is to be deleted
}

type entryKey struct {
	m   uintptr
	enc string
}

// An entry has the labels of a value and of its key.
type entry struct{ val, key Label }

// entries are those with labels.
var entries = map[entryKey]entry{}

// keyed are the keys that depend on inputs, encoded, of every map that has some, in the
// order in which they were added: it is the same for all inputs that take these branches.
var keyed = map[uintptr][]string{}

// mostKeys is of how many keys it is asked whether one of them is looked for.
const mostKeys = 32

// Encode returns a text that is the same for equal values, and orders them where that is possible;
// "" if it cannot be told. It is set by rt/sched.
var Encode func(x any) string

// keyOf returns x, with the label l, as a key.
func keyOf[T any](x T, l Label) (k key) {
	k.l = l
	switch k.k = kindOf[T](); k.k {
	case aText:
		k.str = *(*string)(unsafe.Pointer(&x))
		k.enc = "t" + k.str
	case 0:
		k.val = x
		g := hook.Cur
		hook.Cur = 0
		k.enc = Encode(k.val)
		hook.Cur = g
	default:
		for i := range unsafe.Sizeof(x) {
			k.num |= uint64(*(*byte)(unsafe.Add(unsafe.Pointer(&x), i))) << (8 * i)
		}
		k.enc = EncNum(k.num, k.k)
	}
	return k
}

// EncNum returns what orders numbers of the type k.
func EncNum(v uint64, k trace.Num) string {
	if v = k.Extend(v); k.Signed() {
		v ^= 1 << 63
	}
	var b [9]byte
	b[0] = 'n'
	for i := range 8 {
		b[1+i] = byte(v >> (56 - 8*i))
	}
	return string(b[:])
}

// InMap keeps the map m and returns it.
func InMap[M ~map[K]V, K comparable, V any](m M, to *Entry) M {
	to.key, to.keys, to.found, to.gone = key{}, to.keys[:0], false, false
	if !Exprs || !here() {
		if counters.Watching && len(m) <= mostKeys && kindOf[K]() == aText {
			to.keys = keysOf(m, to.keys)
		}
		return m
	}
	to.m = uintptr(mapptr(&m))
	if to.many = len(m) > mostKeys; !to.many {
		to.keys = keysOf(m, to.keys)
	}
	return m
}

// keysOf appends the keys of m in an order that inputs do not change: maps have none,
// executions must.
func keysOf[M ~map[K]V, K comparable, V any](m M, ks []key) []key {
	p := uintptr(mapptr(&m))
	for x := range m {
		k := keyOf(x, 0)
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

// Deleting is InMap where the entry is deleted.
func Deleting[M any](m M, to *Entry) M {
	to.gone = true
	return m
}

// AtNum and AtText are for keys that are constants, Key for others, with the label l.
func AtNum[M any](m M, v uint64, k trace.Num, to *Entry, s hook.Site) M {
	if Exprs && here() {
		to.choose(key{enc: EncNum(v, k), k: k, num: v}, s)
	}
	return m
}

// AtText is AtNum for a text.
func AtText[M any](m M, v string, to *Entry, s hook.Site) M {
	if Exprs && here() {
		to.choose(key{enc: "t" + v, k: aText, str: v}, s)
	} else if len(to.keys) > 0 {
		to.tell(v, s)
	}
	return m
}

// Key notes the key x with the label l.
func Key[T any](x T, l Label, to *Entry, s hook.Site) T {
	if Exprs && here() {
		to.choose(keyOf(x, l), s)
	} else if len(to.keys) > 0 {
		to.tell(keyOf(x, l).str, s)
	}
	return x
}

// tell tells counters which keys that are there a text is not, where comparisons are kept: a map
// finds its keys without any.
func (e *Entry) tell(text string, s hook.Site) {
	for i := range e.keys {
		counters.Keep(e.keys[i].str, text, uint(s))
	}
	e.keys = e.keys[:0]
}

// choose looks for k among the keys that are there.
func (e *Entry) choose(k key, s hook.Site) {
	e.key = k
	switch {
	case k.enc == "":
		k.lose(s)
		e.key.l = 0
	case e.many:
		if k.k != 0 && k.k != aText && k.l != 0 {
			pin(is(k.l, k.k, k.k.Mask(k.num)), k.num, s)
		} else {
			k.lose(s)
		}
		if e.key.l = 0; keyed[e.m] != nil {
			noteLost(s)
		}
	default:
		for i := range e.keys {
			c := &e.keys[i]
			if once(k.equals(c, s), k.enc == c.enc, s); k.enc == c.enc {
				e.found = true
				break
			}
		}
	}
	if e.gone {
		e.put(entry{})
	}
}

// labelled reports whether k depends on an input.
func (k *key) labelled() bool {
	switch {
	case k.l != 0:
		return true
	case k.k == aText:
		v := Val{p: bytesOf(k.str), v: uint64(len(k.str))}
		return v.labelled()
	}
	return k.k == 0 && reaches(k.val, false)
}

func (k *key) lose(s hook.Site) {
	if k.labelled() && !printing() {
		noteLost(s)
	}
}

// equals returns the label of k == c.
func (k *key) equals(c *key, s hook.Site) Label {
	if k.k != c.k {
		return 0
	}
	p := Pair{LX: k.l, LY: c.l}
	switch k.k {
	case 0:
		return same2(k.val, c.val, k.l, c.l, false, s)
	case aText:
		p.S, p.T, p.Text = k.str, c.str, true
	default:
		if k.l == 0 && c.l == 0 {
			return 0
		}
		p.K, p.X, p.Y = k.k, k.num, c.num
	}
	all := conjunct{v: 1}
	all.pair(&p, s)
	return all.label()
}

// less returns the label of k < c. ok is false if that is not followed.
func (k *key) less(c *key, s hook.Site) (l Label, ok bool) {
	switch {
	case !k.labelled() && !c.labelled():
		return 0, true
	case k.k == 0 || k.k != c.k:
		return 0, false
	case k.k == aText:
		var x, y Val
		Str(k.str, k.l, 0, &x, s)
		Str(c.str, c.l, 0, &y, s)
		return Texts(trace.FlowLess, &x, &y, s), true
	}
	var x, y Val
	x.set(k.num, k.l, k.k)
	y.set(c.num, c.l, c.k)
	return two(trace.FlowLess, trace.Bool, &x, &y), true
}

// ordered records in which order a range goes over the keys of m: sorted, as the hook does.
// Each key
// that depends on an input is compared with those before it in keyed, from the least on.
func ordered[M ~map[K]V, K comparable, V any](m M, s hook.Site) {
	if len(m) < 2 || !Exprs || !here() || keyed[uintptr(mapptr(&m))] == nil {
		return
	}
	ks := keysOf(m, nil)
	for i := range ks {
		k, to := ks[i], 0
		for ; to < i; to++ {
			l, ok := k.less(&ks[to], s)
			if !ok {
				noteLost(s)
				return
			}
			less := k.enc < ks[to].enc
			if once(l, less, s); less {
				break
			}
		}
		copy(ks[to+1:i+1], ks[to:i])
		ks[to] = k
	}
}

// put gives the entry labels.
func (e *Entry) put(to entry) {
	at := entryKey{e.m, e.key.enc}
	if to != (entry{}) {
		entries[at] = to
	} else if len(entries) > 0 {
		delete(entries, at)
	}
	if e.gone {
		for i, enc := range keyed[e.m] {
			if enc == e.key.enc {
				keyed[e.m][i] = "" // the others keep their places
			}
		}
	}
}

// Get returns the label of the value, Set sets it.
func (e *Entry) Get() Label {
	if !Exprs || e.key.enc == "" || len(entries) == 0 || !here() {
		return 0
	}
	return entries[entryKey{e.m, e.key.enc}].val
}

// Set sets the label of the value.
func (e *Entry) Set(l Label) {
	switch {
	case !Exprs || !here():
	case e.key.enc == "":
		drop(l)
	case e.found || e.many: // the key that is there stays
		e.put(entry{l, entries[entryKey{e.m, e.key.enc}].key})
	default:
		if e.key.labelled() {
			keyed[e.m] = append(keyed[e.m], e.key.enc)
		}
		e.put(entry{l, e.key.l})
	}
}

// Forget returns the map m, which is new or cleared: what was known of another at its address holds
// no longer.
func Forget[M any](m M) M {
	if p := uintptr(mapptr(&m)); len(entries)+len(keyed) > 0 && p != 0 && here() {
		forget(p)
	}
	return m
}

// forget is Forget for a map at p.
func forget(p uintptr) {
	delete(keyed, p)
	for k := range entries {
		if k.m == p {
			delete(entries, k)
		}
	}
}

// ReachMap returns a map whose keys and values are lost.
func ReachMap[M ~map[K]V, K comparable, V any](m M, s hook.Site) M {
	if Exprs && here() && LabelledMap(uintptr(mapptr(&m))) {
		noteLost(s)
	}
	return m
}

// LabelledMap reports whether a key or value in the map at p has a label.
func LabelledMap(p uintptr) bool {
	if keyed[p] != nil {
		return true
	}
	for k, e := range entries {
		if k.m == p && (e.val != 0) {
			return true
		}
	}
	return false
}

// A LitEntry is an entry of a map literal: its key, encoded, and the label of its value.
type LitEntry struct {
	Key string
	L   Label
}

// LitOf gives the entries of a map literal their labels.
func LitOf[M any](m M, es ...LitEntry) M {
	if Exprs && here() {
		e := Entry{m: uintptr(mapptr(&m))}
		for _, x := range es {
			e.key.enc = x.Key
			e.put(entry{val: x.L})
		}
	}
	return m
}

// An Added is an entry of a map literal that is added to those before it.
type Added struct {
	k key
	l Label // of its value
}

// LitKey notes the key x, with the label l, of an entry of a map literal.
func LitKey[T any](x T, l Label, to *Entry) T {
	if to.key = (key{}); Exprs && here() {
		to.key = keyOf(x, l)
	}
	return x
}

// LitAt, LitNum and LitText are entries with the key that LitKey noted, and with constant ones; l
// is the label of the value.
func LitAt(e *Entry, l Label) Added { return Added{e.key, l} }

// LitNum is LitAt for a number.
func LitNum(v uint64, k trace.Num, l Label) Added {
	return Added{key{enc: EncNum(v, k), k: k, num: v}, l}
}

// LitText is LitAt for a text.
func LitText(s string, l Label) Added { return Added{key{enc: "t" + s, k: aText, str: s}, l} }

// LitAdded gives the entries of a map literal their labels: whether a key is one of those before it
// is a branch for each.
func LitAdded[M any](m M, s hook.Site, as ...Added) M {
	if !Exprs || !here() {
		return m
	}
	Forget(m)
	e := Entry{m: uintptr(mapptr(&m))}
	for _, a := range as {
		e.found = false
		e.choose(a.k, s)
		e.Set(a.l)
		if e.found || e.key.enc == "" {
			continue
		}
		k := e.key
		if k.labelled() {
			k.at = len(keyed[e.m])
		}
		i := len(e.keys)
		for e.keys = append(e.keys, k); i > 0 && k.before(&e.keys[i-1]); i-- {
			e.keys[i] = e.keys[i-1]
		}
		e.keys[i] = k
	}
	return m
}
