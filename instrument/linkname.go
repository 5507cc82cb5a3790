package instrument

import "strings"

// linked lists functions of the standard library that modules reach with go:linkname, which
// bypasses the patches, and their replacements: the clock and the random numbers of the execution.
var linked = map[string]string{
	"runtime.nanotime":   "heddlert/hook.Nanotime",
	"time.runtimeNano":   "heddlert/hook.Nanotime",
	"time.now":           "heddlert/hook.TimeNow",
	"runtime.rand":       "heddlert/hook.Uint64",
	"runtime.fastrand":   "heddlert/hook.Uint32",
	"runtime.fastrandn":  "heddlert/hook.Uint32n",
	"runtime.fastrand64": "heddlert/hook.Uint64",
	"runtime.cheaprand":  "heddlert/hook.Uint32",
	"runtime.cheaprandn": "heddlert/hook.Uint32n",
}

// linknames redirects the directives of the file that name such a function.
func (r *rewriter) linknames() {
	for _, group := range r.ast.Comments {
		for _, c := range group.List {
			f := strings.Fields(c.Text)
			if len(f) != 3 || f[0] != "//go:linkname" || linked[f[2]] == "" {
				continue
			}
			at := r.off(c.Pos())
			r.buf.Replace(at, at+len(c.Text), f[0]+" "+f[1]+" "+linked[f[2]])
		}
	}
}
