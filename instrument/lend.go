package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// A function without body is written in assembly, or linked from another package by name. Its
// accesses to memory cannot be observed. If its arguments lead to memory, it is called through a
// function that announces them first (lend.go of package hook):
//
//	func sum(p []byte, k *key) uint64      func HeddleCall_sum(_hd1 []byte, _hd2 *key) uint64 {
//	                                           _hd.LendSlice(_hd1, "sum", ...)
//	                                           _hd.LendPointer(_hd2, "sum", ...)
//	                                           return sum(_hd1, _hd2)
//	                                       }

// lender is the prefix of such functions.
const lender = "HeddleCall_"

// bodiless returns the names of the functions without body in a package, without methods. It
// returns none for the standard library, where package std lists the accesses of such functions.
func (im *Importer) bodiless(path string) map[string]bool {
	p := im.pkgs[path]
	if p == nil || p.in.Standard {
		return nil
	}
	p.lend.Do(func() {
		p.bodiless = map[string]bool{}
		for _, f := range p.in.Bodiless {
			p.bodiless[f] = true
		}
		if p.in.Files != nil && p.load(im.fset) == nil {
			for _, f := range p.files {
				bodilessIn(f, func(d *ast.FuncDecl) { p.bodiless[d.Name.Name] = true })
			}
		}
	})
	return p.bodiless
}

func bodilessIn(f *ast.File, yield func(*ast.FuncDecl)) {
	if importsC(f) {
		return
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil && d.Recv == nil && d.Name.Name != "_" {
			yield(d)
		}
	}
}

// Bodiless returns the names of the functions in a file that have no body.
func Bodiless(file string, text []byte) (names []string) {
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	bodilessIn(f, func(d *ast.FuncDecl) { names = append(names, d.Name.Name) })
	return names
}

// lends reports whether calls of f announce the memory in its arguments.
func (r *rewriter) lends(f *types.Func) bool {
	if f.Pkg() == nil || f.Signature().Recv() != nil || !r.in.Mode.Memory || r.in.Standard ||
		!r.im.bodiless(f.Pkg().Path())[f.Name()] {
		return false
	}
	for v := range f.Signature().Params().Variables() {
		if leads(v.Type(), nil) {
			return true
		}
	}
	return false
}

// leads reports whether a value of type t may lead to memory that changes. A number as wide as an
// address may: system calls take those.
func leads(t types.Type, seen []types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Uintptr || u.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range u.Fields() {
			if leads(f.Type(), seen) {
				return true
			}
		}
		return false
	case *types.Array:
		return leads(u.Elem(), seen)
	}
	return true
}

// lenders returns the functions that replace the functions without body of the file.
func (r *rewriter) lenders() string {
	var out strings.Builder
	bodilessIn(r.ast, func(d *ast.FuncDecl) {
		f, ok := r.info.Defs[d.Name].(*types.Func)
		if !ok || !r.lends(f) {
			return
		}
		var params, args []string
		var tell strings.Builder
		for _, field := range d.Type.Params.List {
			names := max(1, len(field.Names))
			for range names {
				n := r.name()
				v := f.Signature().Params().At(len(args))
				params = append(params, n+" "+r.source(field.Type))
				hook, arg := "Lend", "&"+n
				switch v.Type().Underlying().(type) {
				case *types.Pointer:
					hook, arg = "LendPointer", n
				case *types.Slice:
					hook, arg = "LendSlice", n
				}
				if leads(v.Type(), nil) {
					fmt.Fprintf(&tell, "_hd.%s(%s, %q, _hdpc); ", hook, arg, d.Name.Name)
				}
				args = append(args, n)
			}
		}
		call := d.Name.Name + "(" + strings.Join(args, ", ")
		if f.Signature().Variadic() {
			call += "..."
		}
		results := ""
		if f.Signature().Results().Len() > 0 {
			results, call = " "+r.source(d.Type.Results), "return "+call
			if !strings.HasPrefix(results, " (") {
				results = " (" + results[1:] + ")"
			}
		}
		fmt.Fprintf(&out, "\n//go:noinline\nfunc %s%s(%s)%s { if _hd.On { _hdpc := _hd.CallerPC(); %s}; %s) }\n",
			lender, d.Name.Name, strings.Join(params, ", "), results, tell.String(), call)
	})
	return out.String()
}
