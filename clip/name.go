package clip

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"
	"slices"
	"strings"

	"heddle/rt/wire"
)

// Name returns the file name of c: 8 hex digits of a hash over what it shows.
// The hash takes the kind and, of each place, the base name of the file, the function,
// the operation and the object; not the line, the folder, the goroutine, the order of places or the message.
// So it stays the same across runs, machines and edits elsewhere. Without places the message speaks for
// them, digits left out.
func Name(c *wire.Clip) string {
	var rows []string
	for i := range c.Places {
		p := &c.Places[i]
		rows = append(rows, strings.Join([]string{base(p.File), p.Func, p.Op, p.Object}, "\x00"))
	}
	slices.Sort(rows)
	if len(rows) == 0 {
		rows = []string{strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, c.Message)}
	}
	h := sha256.New()
	io.WriteString(h, c.Kind)
	for _, r := range rows {
		io.WriteString(h, "\x01"+r)
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// base returns the last element of a path of any system.
func base(file string) string {
	if file == "" {
		return ""
	}
	return path.Base(strings.ReplaceAll(file, `\`, "/"))
}
