package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// prepareWine makes a folder for wine, with a library that Go programs need and older versions of
// wine lack.
func (m *measurement) prepareWine(wine string) error {
	prefix := filepath.Join(m.tmp, "wine")
	os.Setenv("WINEPREFIX", prefix)
	os.Setenv("WINEDEBUG", "-all")
	if err := exec.CommandContext(m.ctx, wine, "wineboot", "-i").Run(); err != nil {
		return fmt.Errorf("wine does not start: %v", err)
	}
	file := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	return os.WriteFile(file, forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"),
		0o666)
}

// forwarder returns a library for Windows on amd64 without code: its only function forwards to a
// function of another library.
func forwarder(name, function, to string) []byte {
	const file, at = 0x200, 0x1000 // offset of its only section in the file and in memory
	names := []byte(name + "\x00" + function + "\x00" + to + "\x00")
	// offset of the lists of addresses, names and ordinals, after the export directory
	const lists = 40
	text := uint32(at + lists + 4 + 4 + 2)   // of name
	fn := text + uint32(len(name)) + 1       // of function
	target := fn + uint32(len(function)) + 1 // of to
	u16, u32, u64 := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32,
		binary.LittleEndian.AppendUint64
	var section []byte
	for _, x := range []uint32{0, 0, 0, text, 1, 1, 1, at + lists, at + lists + 4, at + lists + 8, target,
		fn} {
		section = u32(section, x)
	}
	section = append(u16(section, 0), names...)
	size := uint32(len(section))

	b := append([]byte("MZ"), make([]byte, 58)...)
	b = append(u32(b, 64), "PE\x00\x00"...)
	b = u16(u16(b, 0x8664), 1) // amd64, one section
	b = u32(u32(u32(b, 0), 0), 0)
	b = u16(u16(b, 240), 0x2022)                    // size of the optional header; a library
	b = u16(b, 0x20b)                               // PE32+
	b = u16(b, 14)                                  // linker
	for _, x := range []uint32{0, file, 0, 0, at} { // sizes of code and data, no entry point, base of code
		b = u32(b, x)
	}
	b = u64(b, 0x180000000) // image base
	b = u32(u32(b, at), file)
	for _, x := range []uint16{6, 0, 0, 0, 6, 0} { // versions
		b = u16(b, x)
	}
	for _, x := range []uint32{0, 2 * at, file, 0} { // size of image and headers
		b = u32(b, x)
	}
	b = u16(u16(b, 3), 0x160) // console; relocatable
	for _, x := range []uint64{1 << 20, 1 << 12, 1 << 20, 1 << 12} {
		b = u64(b, x)
	}
	b = u32(u32(b, 0), 16)
	b = u32(u32(b, at), size) // exports, and no other directories
	b = append(b, make([]byte, 15*8)...)
	b = append(b, ".edata\x00\x00"...)
	for _, x := range []uint32{size, at, file, file, 0, 0, 0, 0x40000040} {
		b = u32(b, x)
	}
	b = append(b, make([]byte, file-len(b))...)
	return append(append(b, section...), make([]byte, file-len(section))...)
}
