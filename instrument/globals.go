package instrument

import (
	"go/ast"
	"go/token"
	"strings"
)

// globals returns the text that registers the package-level variables of the file, so that they
// can be reset before every execution. It returns "" if there are none.
func (r *rewriter) globals() string {
	if !r.in.Mode.Globals {
		return ""
	}
	var names []string
	for _, d := range r.ast.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, s := range d.Specs {
			for _, n := range s.(*ast.ValueSpec).Names {
				if n.Name != "_" {
					names = append(names, "&"+n.Name)
				}
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "\nfunc init() { _hd.Globals(" + strings.Join(names, ", ") + ") }\n"
}
