package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"heddle/rt/wire"
	"heddle/trace"
)

func TestSymbolsOfThisBinary(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads ELF")
	}
	var pcs [1]uintptr
	runtime.Callers(1, pcs[:])
	at := symbols(self)
	if p := at(trace.PCSite(pcs[0])); filepath.Base(p.File) != "symbols_test.go" || p.Line != 22 ||
		p.Func != "heddle/cmd/heddle.TestSymbolsOfThisBinary" {
		t.Errorf("%+v", p)
	}
	if p := at(trace.Site(5)); p.Site != 5 || p.File != "" {
		t.Errorf("%+v", p)
	}
	if p := symbols(os.DevNull)(trace.PCSite(pcs[0])); p != (wire.Place{}) {
		t.Errorf("%+v", p)
	}
}
