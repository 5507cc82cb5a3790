package report

import (
	"fmt"
	"strings"

	"heddle/rt/wire"
)

// knownBy says by what a resolved finding is known, "" if it is new: by its places in the user's
// source.
func (p *Package) knownBy(test string, f *wire.Finding) string {
	if p.r.o.Known == nil || staleClip(f) {
		return ""
	}
	var places []wire.Place
	for _, q := range f.CorePlaces() {
		if u, ok := p.r.caller(q, f.Stacks); ok {
			u.Object = q.Object
			q = u
		}
		places = append(places, q)
	}
	return p.r.o.Known(p.path, test, f, places)
}

// known lists the findings of a test that were known before.
func (r *Reporter) known(t *TestResult) string {
	var b strings.Builder
	for _, f := range t.Known {
		at := ""
		if places := f.CorePlaces(); len(places) > 0 {
			at = " at " + r.position(places[0])
		}
		b.WriteString(indent(4, clean(fmt.Sprintf("known   %s%s: %s", heading(f.Finding), at, f.Known))))
	}
	return b.String()
}

// knownLeft says that known findings are left out of a verdict, "" if there are none.
func knownLeft(t *TestResult) string {
	if len(t.Known) == 0 {
		return ""
	}
	return "; left out: " + plural(len(t.Known), "known finding")
}
