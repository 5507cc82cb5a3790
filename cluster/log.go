package cluster

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"heddle/rt/wire"
)

// A Log keeps an exploration in a file: a Header, and then the results in the order in which they were counted. A line is
// 16 digits, a space, and JSON; the digits depend on all lines up to this one, so lines that were changed, lost or moved are noticed. A
// line is written before what it leads to is handed out, so a run whose process was killed can be gone on with; the end of a file that
// was cut off in a line is no part of it.
type Log struct {
	f   *os.File
	sum []byte // of the last line
}

// A Header is the first line of a Log.
type Header struct {
	Format int
	Test   string
	Of     string // what was explored: Resume wants the same
	Share  *wire.Share
}

const (
	logFormat = 2
	sumSize   = 8 // bytes of a line's checksum

	// mostLine and mostLog bound what is read: no search of heddle's writes as much.
	mostLine = 256 << 20
	mostLog  = 2 << 30
)

// ErrOther says that a Log is of something else than what is to be gone on with.
var ErrOther = errors.New("it is of another build or of other flags")

// A Damaged error tells of a line of a Log that cannot be read. What stands before it counts.
type Damaged struct {
	Path string
	Line int
	Why  string
}

func (d *Damaged) Error() string {
	return fmt.Sprintf("%s:%d: %s; what stands before it counts, and what comes after it is explored again", d.Path, d.Line, d.Why)
}

// CreateLog begins a Log anew.
func CreateLog(path, of, test string, s *wire.Share) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	l := &Log{f: f}
	return l, l.write(&Header{logFormat, test, of, s})
}

// OpenLog reads a Log and goes on with it. With a *Damaged error it returns the results before the damage. Any other error is ErrOther, or
// says why the file cannot be read; os.IsNotExist tells that there is none.
func OpenLog(path, of string) (l *Log, h *Header, results []*wire.Worked, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if l == nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, nil, err
	}
	if info.Size() > mostLog {
		return nil, nil, nil, fmt.Errorf("%s: want a log of at most %d bytes, have %d: remove it", path, int64(mostLog), info.Size())
	}
	l = &Log{f: f}
	h, results, whole, damaged := l.read(path, bufio.NewReader(f))
	switch {
	case h == nil && damaged == nil:
		return nil, nil, nil, fmt.Errorf("%s: want a log of an exploration, have an empty file: remove it", path)
	case h == nil:
		return nil, nil, nil, fmt.Errorf("%s:%d: %s: remove it", path, damaged.Line, damaged.Why)
	case h.Of != of:
		return nil, nil, nil, ErrOther
	}
	if err := f.Truncate(whole); err != nil {
		return nil, nil, nil, err
	}
	if _, err := f.Seek(whole, io.SeekStart); err != nil {
		return nil, nil, nil, err
	}
	if damaged != nil {
		return l, h, results, damaged
	}
	return l, h, results, nil
}

// read reads lines up to the first that is damaged, or was cut off at the end. whole is how many bytes they have.
func (l *Log) read(path string, in *bufio.Reader) (h *Header, results []*wire.Worked, whole int64, damaged *Damaged) {
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err == io.EOF {
			return h, results, whole, nil
		}
		if err != nil {
			return h, results, whole, &Damaged{path, n, err.Error()}
		}
		text, sum, why := l.check(line)
		if why == "" && h == nil {
			h, why = header(text)
		} else if why == "" {
			w := new(wire.Worked)
			if err := json.Unmarshal(text, w); err != nil {
				why = "want a result, have text that is none: " + err.Error()
			} else {
				results = append(results, w)
			}
		}
		if why != "" {
			return h, results, whole, &Damaged{path, n, why}
		}
		l.sum = sum
		whole += int64(len(line))
	}
}

// header reads the first line's text.
func header(text []byte) (*Header, string) {
	h := new(Header)
	if err := json.Unmarshal(text, h); err != nil || h.Share == nil || h.Test == "" {
		return nil, "want the header of a log of an exploration, have something else"
	}
	if h.Format != logFormat {
		return nil, fmt.Sprintf("want a log of format %d, have format %d, of another version of heddle", logFormat, h.Format)
	}
	return h, ""
}

// readLine returns the next line with its end. The error is io.EOF at the end of the file, even if a line was cut off there.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		case len(line) > mostLine:
			return nil, fmt.Errorf("want a line of at most %d bytes, have a longer one", mostLine)
		}
	}
}

// check returns the text of a line, and its checksum; why says what is wrong.
func (l *Log) check(line []byte) (text, sum []byte, why string) {
	digits, text, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	sum, err := hex.DecodeString(string(digits[:min(len(digits), 2*sumSize)]))
	switch {
	case !ok || err != nil || len(digits) != 2*sumSize:
		return nil, nil, fmt.Sprintf("want a checksum of %d digits and a space, have %.20q", 2*sumSize, digits)
	case !bytes.Equal(sum, l.next(text)):
		return nil, nil, "the checksum does not fit: the line was changed, or lines before it are gone"
	}
	return text, sum, ""
}

// next returns the checksum of the text that comes next.
func (l *Log) next(text []byte) []byte {
	h := sha256.New()
	h.Write(l.sum)
	h.Write(text)
	return h.Sum(nil)[:sumSize]
}

func (l *Log) write(x any) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	sum := l.next(text)
	line := append(hex.AppendEncode(nil, sum), ' ')
	if _, err := l.f.Write(append(append(line, text...), '\n')); err != nil {
		return err
	}
	l.sum = sum
	return nil
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }
