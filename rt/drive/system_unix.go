//go:build unix

package drive

import (
	"io"
	"os"
	"syscall"

	"heddle/rt/wire"
)

// keepFromChildren keeps the descriptors that heddle has given from programs that the test starts.
func keepFromChildren() {
	if config.RecordFile == "" {
		syscall.CloseOnExec(wire.FD)
	}
	if config.Mode == "work" {
		syscall.CloseOnExec(wire.ItemFD)
	}
}

// records returns where Records go.
func records() io.Writer {
	if config.RecordFile != "" {
		return recordFile()
	}
	return os.NewFile(wire.FD, "records")
}

// items returns where Items come from.
func items() io.Reader { return os.NewFile(wire.ItemFD, "items") }

// mapFile maps the first size bytes of a file.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}
