package wire

import "strconv"

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
