package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"heddle/rt/wire"
)

// A Log keeps an exploration in a file, a JSON line each: a Header, and then the
// results in the order in which they were counted. A line is written before what it leads to is handed
// out, so a run whose process was killed can be gone on with; the end of a file that was
// cut off in a line is no part of it.
type Log struct {
	f *os.File
}

// A Header is the first line of a Log.
type Header struct {
	Format int
	Test   string
	Of     string // what was explored: Resume wants the same
	Share  *wire.Share
}

const logFormat = 1

// ErrOther says that a Log is of something else than what is to be gone on with.
var ErrOther = errors.New("it is of another build or of other flags")

// CreateLog begins a Log anew.
func CreateLog(path, of, test string, s *wire.Share) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	l := &Log{f}
	return l, l.write(&Header{logFormat, test, of, s})
}

// OpenLog reads a Log and goes on with it. The error is ErrOther, or says why the
// file cannot be read; os.IsNotExist tells that there is none.
func OpenLog(path, of string) (l *Log, h *Header, results []*wire.Worked, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	in := bufio.NewReader(f)
	whole := int64(0)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			break // and a line that was cut off
		}
		if err != nil {
			return nil, nil, nil, err
		}
		if h == nil {
			h = new(Header)
			if err := json.Unmarshal(line, h); err != nil || h.Format != logFormat || h.Share == nil {
				return nil, nil, nil, fmt.Errorf("%s is no log of an exploration", path)
			}
			if h.Of != of {
				return nil, nil, nil, ErrOther
			}
		} else {
			w := new(wire.Worked)
			if err := json.Unmarshal(bytes.TrimSpace(line), w); err != nil {
				return nil, nil, nil, fmt.Errorf("%s, at byte %d: %v", path, whole, err)
			}
			results = append(results, w)
		}
		whole += int64(len(line))
	}
	if h == nil {
		return nil, nil, nil, fmt.Errorf("%s is empty", path)
	}
	if err := f.Truncate(whole); err != nil {
		return nil, nil, nil, err
	}
	if _, err := f.Seek(whole, io.SeekStart); err != nil {
		return nil, nil, nil, err
	}
	return &Log{f}, h, results, nil
}

func (l *Log) write(x any) error {
	line, err := json.Marshal(x)
	if err == nil {
		_, err = l.f.Write(append(line, '\n'))
	}
	return err
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }
