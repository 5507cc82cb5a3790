package instrument

import "go/types"

// lookers are the functions and methods of other packages that change nothing, or whose changes
// the scheduler sees.
var lookers = map[string]map[string]bool{
	"runtime": {"Gosched": true},
	"time":    {"Sleep": true}, // where it is a change the scheduler says so
	"strings": text,
	"bytes":   text,
	"strconv": {"Itoa": true, "Atoi": true, "ParseInt": true, "ParseUint": true, "ParseBool": true,
		"ParseFloat": true, "FormatInt": true, "FormatUint": true, "FormatBool": true, "Quote": true},
	"math": {"Abs": true, "Min": true, "Max": true, "Floor": true, "Ceil": true, "Sqrt": true, "Pow": true,
		"Float64bits": true, "Float64frombits": true, "Float32bits": true, "Float32frombits": true},
	"math/bits": {"OnesCount64": true, "OnesCount32": true, "OnesCount": true, "TrailingZeros64": true,
		"TrailingZeros32": true, "TrailingZeros": true, "LeadingZeros64": true, "LeadingZeros32": true,
		"Len64": true, "Len32": true, "Len": true, "RotateLeft64": true, "RotateLeft32": true},
	"sync": {"TryLock": true, "TryRLock": true, "Load": true, "Lock": true, "Unlock": true, "RLock": true,
		"RUnlock": true},
	"context": {"Err": true, "Done": true, "Deadline": true, "Value": true, "Cause": true},
	"errors":  {"Is": true, "Unwrap": true},
	"slices":  {"Contains": true, "Index": true, "Equal": true, "Max": true, "Min": true},
	"sync/atomic": {
		"Load": true, "CompareAndSwap": true,
		"LoadInt32": true, "LoadInt64": true, "LoadUint32": true, "LoadUint64": true, "LoadUintptr": true,
		"LoadPointer":         true,
		"CompareAndSwapInt32": true, "CompareAndSwapInt64": true, "CompareAndSwapUint32": true,
		"CompareAndSwapUint64":  true,
		"CompareAndSwapUintptr": true, "CompareAndSwapPointer": true,
	},
}

// text are those of packages strings and bytes.
var text = map[string]bool{
	"Compare": true, "Contains": true, "ContainsAny": true, "ContainsRune": true, "Count": true, "Cut": true,
	"CutPrefix": true, "CutSuffix": true, "Equal": true, "EqualFold": true, "Fields": true, "HasPrefix": true,
	"HasSuffix": true, "Index": true, "IndexAny": true, "IndexByte": true, "IndexRune": true, "Join": true,
	"LastIndex": true, "LastIndexByte": true, "Repeat": true, "ReplaceAll": true, "Split": true,
	"SplitN": true, "ToLower": true, "ToUpper": true, "Trim": true, "TrimLeft": true, "TrimPrefix": true,
	"TrimRight": true,
	"TrimSpace": true, "TrimSuffix": true,
}

// looksOnly reports whether f is one of lookers. What an interface of package sync calls may be
// anything.
func looksOnly(f *types.Func) bool {
	path := f.Pkg().Path()
	return lookers[path][f.Name()] && (path != "sync" || !ofInterface(f))
}

// ofInterface reports whether f is a method of an interface.
func ofInterface(f *types.Func) bool {
	recv := f.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// announces reports whether a function announces its changes: it is rewritten, and in a package
// without cgo, in whose files nothing is announced.
func (im *Importer) announces(f *types.Func) bool {
	p := im.pkgs[f.Pkg().Path()]
	return p != nil && !p.in.Standard && !p.in.Cgo && !ofInterface(f) &&
		(f.Signature().Recv() != nil || !im.bodiless(f.Pkg().Path())[f.Name()])
}
