package std

import (
	"fmt"
	"strings"
)

// Package sync/atomic: a method announces its operation before the native one, and its outcome
// after it. The functions are intrinsics of the compiler, so patching their bodies has no effect:
// each has a function Heddle<Name> beside it, and the rewriter renames the calls.
var atomicPatch = &pkg{
	added: atomicAdded,
	files: map[string]file{
		"type.go":  {hook: true, edits: atomicTypeEdits()},
		"value.go": {hook: true, edits: atomicValueEdits()},
	},
}

// An atomicType is a type that package sync/atomic has functions for.
type atomicType struct {
	name, typ string // "Int32", "int32"
	size      int
	ints      bool   // has Add, And and Or
	bits      string // format of its value as a uint64
}

var atomicTypes = []atomicType{
	{"Int32", "int32", 4, true, "uint64(uint32(%s))"},
	{"Int64", "int64", 8, true, "uint64(%s)"},
	{"Uint32", "uint32", 4, true, "uint64(%s)"},
	{"Uint64", "uint64", 8, true, "uint64(%s)"},
	{"Uintptr", "uintptr", 8, true, "uint64(%s)"},
	{"Pointer", "unsafe.Pointer", 8, false, "uint64(uintptr(%s))"},
}

func atomicTypeEdits() []edit {
	es := []edit{
		guard("func (x *Bool) Load() bool {",
			"if _hs.Here() { return heddleLoadUint32(&x.v, _hs.CallerPC()) != 0 }"),
		guard("func (x *Bool) Store(val bool) {", "if _hs.Here() { heddleStoreUint32(&x.v, b32(val), _hs.CallerPC()); return }"),
		guard("func (x *Bool) Swap(new bool) (old bool) {", "if _hs.Here() { return heddleSwapUint32(&x.v, b32(new), _hs.CallerPC()) != 0 }"),
		guard("func (x *Bool) CompareAndSwap(old, new bool) (swapped bool) {", "if _hs.Here() { return heddleCompareAndSwapUint32(&x.v, b32(old), b32(new), _hs.CallerPC()) }"),
		guard("func (x *Pointer[T]) Load() *T {", "if _hs.Here() { return (*T)(heddleLoadPointer(&x.v, _hs.CallerPC())) }"),
		guard("func (x *Pointer[T]) Store(val *T) {", "if _hs.Here() { heddleStorePointer(&x.v, unsafe.Pointer(val), _hs.CallerPC()); return }"),
		guard("func (x *Pointer[T]) Swap(new *T) (old *T) {", "if _hs.Here() { return (*T)(heddleSwapPointer(&x.v, unsafe.Pointer(new), _hs.CallerPC())) }"),
		guard("func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {", "if _hs.Here() { return heddleCompareAndSwapPointer(&x.v, unsafe.Pointer(old), unsafe.Pointer(new), _hs.CallerPC()) }"),
	}
	for _, t := range atomicTypes {
		if !t.ints {
			continue
		}
		add := func(header, stmt string) {
			r := strings.NewReplacer("TYPE", t.name, "type", t.typ)
			es = append(es, guard(r.Replace(header), r.Replace(stmt)))
		}
		add("func (x *TYPE) Load() type {", "if _hs.Here() { return heddleLoadTYPE(&x.v, _hs.CallerPC()) }")
		add("func (x *TYPE) Store(val type) {",
			"if _hs.Here() { heddleStoreTYPE(&x.v, val, _hs.CallerPC()); return }")
		add("func (x *TYPE) Swap(new type) (old type) {",
			"if _hs.Here() { return heddleSwapTYPE(&x.v, new, _hs.CallerPC()) }")
		add("func (x *TYPE) CompareAndSwap(old, new type) (swapped bool) {", "if _hs.Here() { return heddleCompareAndSwapTYPE(&x.v, old, new, _hs.CallerPC()) }")
		add("func (x *TYPE) Add(delta type) (new type) {",
			"if _hs.Here() { return heddleAddTYPE(&x.v, delta, _hs.CallerPC()) }")
		add("func (x *TYPE) And(mask type) (old type) {",
			"if _hs.Here() { return heddleAndTYPE(&x.v, mask, _hs.CallerPC()) }")
		add("func (x *TYPE) Or(mask type) (old type) {",
			"if _hs.Here() { return heddleOrTYPE(&x.v, mask, _hs.CallerPC()) }")
	}
	return es
}

func atomicValueEdits() []edit {
	return []edit{
		guard("func (v *Value) Load() (val any) {", "if _hs.Here() { return v.heddleLoad(_hs.CallerPC()) }"),
		guard("func (v *Value) Store(val any) {",
			"if _hs.Here() { v.heddleStore(val, _hs.CallerPC()); return }"),
		guard("func (v *Value) Swap(new any) (old any) {",
			"if _hs.Here() { return v.heddleSwap(new, _hs.CallerPC()) }"),
		guard("func (v *Value) CompareAndSwap(old, new any) (swapped bool) {", "if _hs.Here() { return v.heddleCompareAndSwap(old, new, _hs.CallerPC()) }"),
	}
}

// An atomicOp is a family of functions: Load, Store, Swap, CompareAndSwap, Add, And, Or.
type atomicOp struct {
	name   string
	params string // parameters after the address
	args   string
	result string // its name and type, or ""
	kind   string // hook's op
	now    string // the value after the operation
	set    string // whether the operation wrote
	ints   bool   // only for integers
}

var atomicOps = []atomicOp{
	{"Load", "", "", "val type", "AtomicLoad", "val", "false", false},
	{"Store", ", val type", ", val", "", "AtomicStore", "val", "true", false},
	{"Swap", ", new type", ", new", "old type", "AtomicRMW", "new", "true", false},
	{"CompareAndSwap", ", old, new type", ", old, new", "swapped bool", "AtomicCAS", "LoadTYPE(addr)",
		"swapped", false},
	{"Add", ", delta type", ", delta", "new type", "AtomicRMW", "new", "true", true},
	{"And", ", mask type", ", mask", "old type", "AtomicRMW", "old & mask", "true", true},
	{"Or", ", mask type", ", mask", "old type", "AtomicRMW", "old | mask", "true", true},
}

// operators has the operator and the operand of what can be an update.
var operators = map[string][2]string{"Add": {"+", "delta"}, "And": {"&", "mask"}, "Or": {"|", "mask"}}

// hook returns the op of the hook.
func (op *atomicOp) hook(t *atomicType) string {
	if t.name == "Pointer" || t.name == "Uintptr" {
		return op.kind + "|_hs.AtomicAddress"
	}
	return op.kind
}

// end returns the call of the hook that announces the outcome.
func (op *atomicOp) end(t *atomicType) string {
	bits := func(value string) string {
		return fmt.Sprintf(t.bits,
			strings.ReplaceAll(value, "TYPE", t.name))
	}
	if by := operators[op.name]; by != [2]string{} {
		return fmt.Sprintf("AtomicUpdated('%s', %s, %s)", by[0], bits(by[1]), bits(op.now))
	}
	if op.kind == "AtomicCAS" {
		return fmt.Sprintf("AtomicCompared(%s, %s, %s)", op.set, bits("old"), bits(op.now))
	}
	return fmt.Sprintf("AtomicEnd(%s, %s)", op.set, bits(op.now))
}

// atomicAdded writes the added file: the Value methods from added/atomic.go.txt, and two functions
// for each function, such as
//
//	func HeddleAddInt32(addr *int32, delta int32) (new int32) {
//		if _hs.Here() {
//			new = heddleAddInt32(addr, delta, _hs.CallerPC())
//			return
//		}
//		new = AddInt32(addr, delta)
//		return
//	}
//
//	func heddleAddInt32(addr *int32, delta int32, pc uintptr) (new int32) {
//		_hs.AtomicBegin(unsafe.Pointer(addr), 4, _hs.AtomicRMW, pc)
//		new = AddInt32(addr, delta)
//		_hs.AtomicUpdated('+', uint64(uint32(delta)), uint64(uint32(new)))
//		return
//	}
func atomicAdded() []byte {
	var b strings.Builder
	b.Write(embedded("atomic.go.txt")())
	for _, t := range atomicTypes {
		for _, op := range atomicOps {
			// And and Or exist for all integer types, also as functions (Go 1.23).
			if op.ints && !t.ints {
				continue
			}
			assign := ""
			if op.result != "" {
				assign = strings.Fields(op.result)[0] + " = "
			}
			r := strings.NewReplacer("TYPE", t.name, "OP", op.name, "PARAMS",
				strings.ReplaceAll(op.params, "type", t.typ), "ARGS", op.args,
				"RESULT", strings.ReplaceAll(op.result, "type", t.typ), "ASSIGN", assign, "KIND", op.hook(&t),
				"END", op.end(&t),
				"SIZE", fmt.Sprint(t.size), "type", t.typ)
			r.WriteString(&b, `
//go:noinline
func HeddleOPTYPE(addr *typePARAMS) (RESULT) {
	if _hs.Here() {
		ASSIGNheddleOPTYPE(addrARGS, _hs.CallerPC())
		return
	}
	ASSIGNOPTYPE(addrARGS)
	return
}

func heddleOPTYPE(addr *typePARAMS, pc uintptr) (RESULT) {
	_hs.AtomicBegin(unsafe.Pointer(addr), SIZE, _hs.KIND, pc)
	ASSIGNOPTYPE(addrARGS)
	_hs.END
	return
}
`)
		}
	}
	return []byte(b.String())
}
