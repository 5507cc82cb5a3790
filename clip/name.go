package clip

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/wire"
)

// Name returns the file name of c: 8 hex digits of a hash over the kind of the finding and its
// places. Of a place the hash takes the base name of the file, the function, the index in the
// function (Nth, Down), the operation and the object. It takes neither line nor folder, goroutine,
// order of places or message. So the name stays the same across runs, machines and edits
// elsewhere. If there are no places, the hash takes the message without its digits.
func Name(c *wire.Clip) string {
	var rows []string
	for i := range c.Places {
		p := &c.Places[i]
		row := []string{base(p.File), p.Func, p.Op, p.Object}
		if n := p.Nth + p.Down; n > 0 { // the index distinguishes equal operations in one function
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, strings.Join(row, "\x00"))
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

// base returns the last element of a path with slashes or backslashes.
func base(file string) string {
	if file == "" {
		return ""
	}
	return path.Base(strings.ReplaceAll(file, `\`, "/"))
}
