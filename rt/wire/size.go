package wire

import (
	"errors"
	"strconv"
	"strings"
)

// Units are the units of amounts of memory, the largest first.
var Units = []struct {
	Name  string
	Bytes int64
}{{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}}

// Size writes an amount of memory as flags have it: 64M.
func Size(bytes int64) string {
	for _, u := range Units {
		if bytes >= u.Bytes && bytes%u.Bytes == 0 {
			return strconv.FormatInt(bytes/u.Bytes, 10) + u.Name
		}
	}
	return strconv.FormatInt(bytes, 10)
}

// ParseSize reads an amount of memory, with its unit: 64M, 2GB.
func ParseSize(s string) (bytes int64, err error) {
	for _, u := range Units {
		digits, ok := strings.CutSuffix(strings.TrimSuffix(strings.ToUpper(s), "B"), u.Name)
		if n, err := strconv.ParseInt(digits, 10, 64); ok && err == nil && n > 0 && n <= 1<<62/u.Bytes {
			return n * u.Bytes, nil
		}
	}
	return 0, errors.New("want an amount of memory such as 64M or 2G")
}
