package drive

import (
	"os"

	"heddle/rt/wire"
)

// openDebugFile maps the file that this process shares with heddle debug, which has made it.
func openDebugFile(path string) (*wire.DebugView, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping stays
	mem, err := mapFile(f, wire.DebugSize)
	if err != nil {
		return nil, err
	}
	return wire.DebugViewOf(mem), nil
}
