package std

import "slices"

// selectEdits are the edits of reflect.Select. Since Go 1.27 a part of it is inlined.
var selectEdits = slices.Concat(
	[]edit{guard("func Select(cases []SelectCase) (chosen int, recv Value, recvOK bool) {", "")},
	until("go1.26",
		replace("	chosen, recvOK = rselect(runcases)\n",
			"	if _hs.Here() { chosen, recvOK = heddleSelect(append([]runtimeSelect(nil), runcases...), _hs.CallerPC()) } else { chosen, recvOK = rselect(runcases) }\n"),
	),
	since("go1.27",
		replace("	chosen, recv, recvOK = select0(cases, runcases)\n", "	chosen, recv, recvOK = select0(cases, runcases, _hs.CallerPC())\n"),
		replace("func select0(cases []SelectCase, runcases []runtimeSelect) (", "func select0(cases []SelectCase, runcases []runtimeSelect, pc uintptr) ("),
		replace("	chosen, recvOK = rselect(runcases)\n",
			"	if _hs.Here() { chosen, recvOK = heddleSelect(append([]runtimeSelect(nil), runcases...), pc) } else { chosen, recvOK = rselect(runcases) }\n"),
	),
)

// Package reflect: channel operations behave as the direct forms (heddlert/hook's chan.go), with
// values moved by type. MapKeys returns the keys in the execution's order. MapRange keeps the
// native order, because its callers (fmt, encoding/json) sort. The caches of types live through
// all executions and are not observed: if their use were an event, no two executions would be
// equal. Reads and writes through Values are announced, in most functions by the rewriter
// (memory.txt), here where the runtime makes them.
var reflectPatch = &pkg{
	added: embedded("reflect.go.txt"),
	files: map[string]file{"value.go": {hook: true, edits: slices.Concat(selectEdits, []edit{
		guard("func (v Value) Close() {", ""),
		replace("	chanclose(v.pointer())\n", "	if _hs.Here() && !_hs.ChanClose(v.pointer(), heddleSite(_hs.CallerPC())) { return }; chanclose(v.pointer())\n"),
		guard("func (v Value) Len() int {", "if v.kind() == Chan && _hs.Here() { return heddleLen(v.pointer(), _hs.CallerPC()) }"),

		guard("func (v Value) Recv() (x Value, ok bool) {", ""),
		replace("	return v.recv(false)\n", "	return v.recv(false, _hs.CallerPC())\n"),
		guard("func (v Value) TryRecv() (x Value, ok bool) {", ""),
		replace("	return v.recv(true)\n", "	return v.recv(true, _hs.CallerPC())\n"),
		replace("func (v Value) recv(nb bool) (val Value, ok bool) {",
			"func (v Value) recv(nb bool, pc uintptr) (val Value, ok bool) {"),
		replace("	selected, ok := chanrecv(v.pointer(), nb, p)\n",
			"	selected, ok := heddleRecv(t, v.pointer(), nb, p, pc)\n"),

		guard("func (v Value) Send(x Value) {", ""),
		replace("	v.send(x, false)\n", "	v.send(x, false, _hs.CallerPC())\n"),
		guard("func (v Value) TrySend(x Value) bool {", ""),
		replace("	return v.send(x, true)\n", "	return v.send(x, true, _hs.CallerPC())\n"),
		replace("func (v Value) send(x Value, nb bool) (selected bool) {",
			"func (v Value) send(x Value, nb bool, pc uintptr) (selected bool) {"),
		replace("	return chansend(v.pointer(), p, nb)\n",
			"	return heddleSend(tt.Elem, v.pointer(), p, nb, pc)\n"),

		replace("		rcvrtype, t, fn = methodReceiver(op, v, int(v.flag)>>flagMethodShift)\n",
			"		rcvrtype, t, fn = methodReceiver(op, v, int(v.flag)>>flagMethodShift); heddleReceiver(v, int(v.flag)>>flagMethodShift)\n"),
		replace("		fn = *(*unsafe.Pointer)(v.ptr)\n	} else {\n		fn = v.ptr\n	}\n",
			"		fn = *(*unsafe.Pointer)(v.ptr)\n	} else {\n		fn = v.ptr\n	}; heddleFirst(fn, rcvrtype, in)\n"),
		replace("	rcvrType, valueFuncType, methodFn := methodReceiver(\"call\", rcvr, ctxt.method)\n",
			"	rcvrType, valueFuncType, methodFn := methodReceiver(\"call\", rcvr, ctxt.method); heddleReceiver(rcvr, ctxt.method)\n"),
		replace("			typedmemmove(t, c, ptr)\n			ptr = c\n", "			heddleRead(ptr, t.Size()); typedmemmove(t, c, ptr)\n			ptr = c\n"),
		replace("	if x.flag&flagIndir != 0 {\n		if x.ptr == unsafe.Pointer(&zeroVal[0]) {\n",
			"	if x.flag&flagIndir != 0 {\n		heddleRead(x.ptr, v.typ().Size()); heddleWrite(v.ptr, v.typ().Size()); if x.ptr == unsafe.Pointer(&zeroVal[0]) {\n"),
		replaceAll(2, "			return typ.Equal(abi.NoEscape(v.ptr), unsafe.Pointer(&zeroVal[0]))\n",
			"			heddleRead(v.ptr, typ.Size()); return typ.Equal(abi.NoEscape(v.ptr), unsafe.Pointer(&zeroVal[0]))\n"),
		replaceAll(2, "			return isZero(unsafe.Slice(((*byte)(v.ptr)), typ.Size()))\n", "			heddleRead(v.ptr, typ.Size()); return isZero(unsafe.Slice(((*byte)(v.ptr)), typ.Size()))\n"),
		// the variable that an argument, a key, a value sent, or a result of MakeFunc is
		replace("		fl := v.flag&(flagAddr|flagIndir) | v.flag.ro()\n		fl |= flag(dst.Kind())\n",
			"		fl := v.flag&(flagAddr|flagIndir) | v.flag.ro()\n		if fl |= flag(dst.Kind()); fl&flagAddr != 0 { heddleRead(v.ptr, dst.Size()) }\n"),
		replace("	typedmemmove(typ, c, ptr)\n	ptr = c\n", "	heddleRead(ptr, typ.Size()); typedmemmove(typ, c, ptr)\n	ptr = c\n"),
		replace("		typedmemclr(v.typ(), v.ptr)\n	default:\n", "		heddleWrite(v.ptr, v.typ().Size()); typedmemclr(v.typ(), v.ptr)\n	default:\n"),
		replace("		typedarrayclear(st.Elem, sh.Data, sh.Len)\n", "		heddleWrite(sh.Data, uintptr(sh.Len)*st.Elem.Size()); typedarrayclear(st.Elem, sh.Data, sh.Len)\n"),
		replace("		mapclear(v.typ(), v.pointer())\n",
			"		heddleMapWrite(v); mapclear(v.typ(), v.pointer())\n"),
		replace("		return maplen(v.pointer())\n",
			"		heddleMapRead(v); return maplen(v.pointer())\n"),
		replace("	ptr := unsafe_New(t)\n",
			"	ptr := unsafe_New(t); heddleMade(ptr, t.Size(), _hs.AllocNew)\n"),
		replace("unsafe_NewArray(&(typ.Elem().(*rtype).t), cap), Len: len, Cap: cap}\n",
			"unsafe_NewArray(&(typ.Elem().(*rtype).t), cap), Len: len, Cap: cap}; heddleMade(s.Data, uintptr(cap)*typ.Elem().Size(), _hs.AllocSlice)\n"),
		replace("	return typedslicecopy(de.Common(), ds, ss)\n",
			"	heddleRead(ss.Data, uintptr(min(ds.Len, ss.Len))*de.Size()); heddleWrite(ds.Data, uintptr(min(ds.Len, ss.Len))*de.Size()); return typedslicecopy(de.Common(), ds, ss)\n"),
	})}, "deepequal.go": {edits: []edit{
		replace("			return bytealg.Equal(v1.Bytes(), v2.Bytes())\n",
			"			heddleRead(v1.UnsafePointer(), uintptr(v1.Len())); heddleRead(v2.UnsafePointer(), uintptr(v2.Len())); return bytealg.Equal(v1.Bytes(), v2.Bytes())\n"),
	}}, "swapper.go": {edits: []edit{
		replace("		typedmemmove(typ, tmp, val1)\n", "		heddleWrite(val1, size); heddleWrite(val2, size); typedmemmove(typ, tmp, val1)\n"),
	}}, "type.go": {edits: []edit{
		replace("var ptrMap sync.Map //", "var ptrMap heddleMap //"),
		replace("var lookupCache sync.Map //", "var lookupCache heddleMap //"),
		// reflect's own tests use the variable's type
		replace("layoutCache.Load(k)", "(*heddleMap)(&layoutCache).Load(k)"),
		replace("layoutCache.LoadOrStore(k, ", "(*heddleMap)(&layoutCache).LoadOrStore(k, "),
		replace("var funcTypesMutex sync.Mutex\n", "var funcTypesMutex heddleMutex\n"),
		replaceAll(2, "	sync.Mutex // Guards stores (but not loads) on m.\n",
			"	heddleMutex // Guards stores (but not loads) on m.\n"),
		replaceAll(2, "	m sync.Map\n", "	m heddleMap\n"),
	}}, "map.go": {edits: []edit{
		begin("func (v Value) MapIndex(key Value) Value {", "heddleMapRead(v)"),
		begin("func (v Value) MapKeys() []Value {", "heddleMapRead(v)"),
		begin("func (iter *MapIter) Next() bool {", "heddleMapRead(iter.m)"),
		begin("func (v Value) SetMapIndex(key, elem Value) {", "heddleMapWrite(v)"),
		begin("func (iter *MapIter) Key() Value {", "heddleMapRead(iter.m)"),
		begin("func (iter *MapIter) Value() Value {", "heddleMapRead(iter.m)"),
		replaceAll(2, "		k := *(*string)(key.ptr)\n", "		heddleRead(key.ptr, key.typ().Size()); k := *(*string)(key.ptr)\n"),
		replace("	typedmemmove(v.typ(), v.ptr, key.ptr)\n",
			"	heddleMapRead(iter.m); heddleWrite(v.ptr, v.typ().Size()); typedmemmove(v.typ(), v.ptr, key.ptr)\n"),
		replace("	typedmemmove(v.typ(), v.ptr, elem.ptr)\n",
			"	heddleMapRead(iter.m); heddleWrite(v.ptr, v.typ().Size()); typedmemmove(v.typ(), v.ptr, elem.ptr)\n"),
		replace("	return a[:i]\n", "	return heddleOrder(a[:i])\n"),
	}}},
}
