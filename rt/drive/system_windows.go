package drive

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// keepFromChildren has nothing to do: what a test binary has of heddle here is files.
func keepFromChildren() {}

// records returns where Records go.
func records() io.Writer { return recordFile() }

// items returns where Items come from. heddle starts no workers here.
func items() io.Reader { return strings.NewReader("") }

// mapFile maps the first size bytes of a file.
func mapFile(f *os.File, size int) ([]byte, error) {
	h, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil, syscall.PAGE_READWRITE, 0, uint32(size),
		nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer syscall.CloseHandle(h) // the view keeps the mapping
	p, err := syscall.MapViewOfFile(h, syscall.FILE_MAP_READ|syscall.FILE_MAP_WRITE, 0, 0, uintptr(size))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), size), nil
}

// dup and dup2: what programs print is not kept from the user here.
func dup(fd int) (int, error) { return 0, errors.ErrUnsupported }

func dup2(from, to int) {}
