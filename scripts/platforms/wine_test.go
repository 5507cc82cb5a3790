package main

import (
	"bytes"
	"debug/pe"
	"testing"
)

// The library for wine can be read.
func TestForwarder(t *testing.T) {
	lib := forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036")
	f, err := pe.NewFile(bytes.NewReader(lib))
	if err != nil {
		t.Fatal(err)
	}
	h, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok || len(f.Sections) != 1 || h.DataDirectory[0].VirtualAddress != f.Sections[0].VirtualAddress {
		t.Errorf("header %+v, sections %v: want one section that begins with the exports", f.OptionalHeader, f.Sections)
	}
}
