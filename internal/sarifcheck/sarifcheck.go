// Package sarifcheck checks SARIF files. Only tests use it:
//
//	err := sarifcheck.Valid([]byte(`{"version":"2.1.0","runs":[{"results":[]}]}`))
//	// err: a run without a tool
package sarifcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"
)

// ErrNoSchema says that the schema is missing, as the module go-sarif is not there.
var ErrNoSchema = errors.New("the schema of SARIF is not there")

// Valid checks data against the schema of the standard (OASIS, SARIF 2.1.0), and for fields that
// go-sarif does not know. It reads the schema from the source of go-sarif, because go-sarif's
// Validate checks its own output, to which it adds defaults that are not valid.
func Valid(data []byte) error {
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(new(sarif.Report)); err != nil {
		return err
	}
	text, err := schema()
	if err != nil {
		return err
	}
	res, err := gojsonschema.Validate(gojsonschema.NewStringLoader(text), gojsonschema.NewBytesLoader(data))
	if err != nil {
		return err
	}
	for _, e := range res.Errors() {
		err = errors.Join(err, errors.New(e.String()))
	}
	return err
}

// schema returns the constant with the schema in go-sarif.
var schema = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}",
		"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		return "", fmt.Errorf("%w: %v", ErrNoSchema, err)
	}
	file := filepath.Join(strings.TrimSpace(string(out)), "schema.go")
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", fmt.Errorf("%w: %v", ErrNoSchema, err)
	}
	for _, d := range f.Decls {
		if text, ok := stringOf(d, "schema"); ok {
			return strconv.Unquote(text)
		}
	}
	return "", fmt.Errorf("%w: no such constant in %s", ErrNoSchema, file)
})

// stringOf returns the string literal that a declaration assigns to name.
func stringOf(d ast.Decl, name string) (string, bool) {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return "", false
	}
	for _, s := range g.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != name || len(v.Values) == 0 {
			continue
		}
		if lit, ok := v.Values[0].(*ast.BasicLit); ok {
			return lit.Value, true
		}
	}
	return "", false
}
