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

// A Log keeps an exploration in a file: a Header, and the results in the order in which they were
// counted. A line is 16 hex digits, a space, and JSON. The digits are a checksum of all lines up
// to this one, so that changed, lost or moved lines are noticed. A line is written before the work
// that follows from it is handed out, so a run whose process was killed can be resumed. An
// incomplete last line does not count.
type Log struct {
	f   *os.File
	sum []byte // checksum of the last line
}

// A Header is the first line of a Log.
type Header struct {
	Format int
	Test   string
	Of     string // what is explored; Resume needs the same
	Share  *wire.Share
}

const (
	logFormat = 2
	sumSize   = 8 // bytes of a line's checksum

	// mostLine and mostLog bound the input: no search of heddle writes that much.
	mostLine = 256 << 20
	mostLog  = 2 << 30
)

// ErrOther says that a Log belongs to another exploration than the one to be resumed.
var ErrOther = errors.New("it is of another build or of other flags")

// A Damaged error names a line of a Log that cannot be read. The lines before it count.
type Damaged struct {
	Path string
	Line int
	Why  string
}

func (d *Damaged) Error() string {
	return fmt.Sprintf("%s:%d: %s; what stands before it counts, and what comes after it is explored again", d.Path, d.Line, d.Why)
}

// CreateLog creates a Log and replaces an existing one.
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

// OpenLog reads a Log and opens it for further results. With a *Damaged error it returns the
// results before the damage. Any other error is ErrOther or an error of reading; os.IsNotExist
// reports a missing file.
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
		return nil, nil, nil,
			fmt.Errorf("%s: want a log of at most %d bytes, have %d: remove it", path, int64(mostLog),
				info.Size())
	}
	l = &Log{f: f}
	h, results, whole, damaged := l.read(path, bufio.NewReader(f))
	switch {
	case h == nil && damaged == nil:
		return nil, nil, nil,
			fmt.Errorf("%s: want a log of an exploration, have an empty file: remove it", path)
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

// read reads lines up to the first damaged or incomplete one. whole is the number of bytes of
// those lines.
func (l *Log) read(path string,
	in *bufio.Reader) (h *Header, results []*wire.Worked, whole int64, damaged *Damaged) {
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
				why = "want a result, have other text: " + err.Error()
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

// header parses the first line's text.
func header(text []byte) (*Header, string) {
	h := new(Header)
	if err := json.Unmarshal(text, h); err != nil || h.Share == nil || h.Test == "" {
		return nil, "want the header of a log of an exploration, have another line"
	}
	if h.Format != logFormat {
		return nil, fmt.Sprintf("want a log of format %d, have format %d, of another version of heddle", logFormat, h.Format)
	}
	return h, ""
}

// readLine returns the next line with its line end. It returns io.EOF at the end of the file, also
// after an incomplete line.
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

// check returns the text and the checksum of a line, or why it is invalid.
func (l *Log) check(line []byte) (text, sum []byte, why string) {
	digits, text, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	sum, err := hex.DecodeString(string(digits[:min(len(digits), 2*sumSize)]))
	switch {
	case !ok || err != nil || len(digits) != 2*sumSize:
		return nil, nil,
			fmt.Sprintf("want a checksum of %d digits and a space, have %.20q", 2*sumSize, digits)
	case !bytes.Equal(sum, l.next(text)):
		return nil, nil, "the checksum does not fit: the line was changed, or lines before it are gone"
	}
	return text, sum, ""
}

// next returns the checksum of the next line with the given text.
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
