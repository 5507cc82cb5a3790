package report

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
)

// ReadSource returns a line of a file without white space at its ends, or "" if there is none. It
// caches files and does not read files larger than 8 MB.
func ReadSource(file string, line int) string { return strings.TrimSpace(sourceLine(file, line)) }

// sourceLine is ReadSource with the white space.
func sourceLine(file string, line int) string {
	text := sourceLines(file)
	if line < 1 || line > len(text) {
		return ""
	}
	return string(text[line-1])
}

// sourceLines returns the lines of a file, or nil if it cannot be read.
func sourceLines(file string) [][]byte {
	sources.Lock()
	defer sources.Unlock()
	text, ok := sources.files[file]
	if !ok {
		if sources.files == nil || len(sources.files) >= 256 {
			sources.files = map[string][][]byte{}
		}
		text = readLines(file)
		sources.files[file] = text
	}
	return text
}

// sourceText returns a whole file, or nil if it cannot be read.
func sourceText(file string) []byte {
	lines := sourceLines(file)
	if lines == nil {
		return nil
	}
	return bytes.Join(lines, []byte("\n"))
}

var sources struct {
	sync.Mutex
	files map[string][][]byte
}

func readLines(file string) [][]byte {
	const most = 8 << 20
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil || len(data) > most {
		return nil
	}
	return bytes.Split(data, []byte("\n"))
}
