// Package plainfuzz has fuzz targets without goroutines, each with a bug behind an input: parsers,
// round trips, slices of text, overflows. They compare what heddle test -fuzz finds with what go
// test -fuzz finds (go run ./bench -fuzz FILE). The file targets.txt has an input that fails for
// each.
package plainfuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var errSyntax = errors.New("syntax")

// balanced reports whether brackets are closed in the order in which they were opened.
func balanced(s string) bool {
	var stack []byte
	for i := range len(s) {
		switch c := s[i]; c {
		case '(', '[', '{':
			stack = append(stack, c)
		case ')', ']', '}':
			open := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if open == '(' && c != ')' || open != '(' && c != open+2 {
				return false
			}
		}
	}
	return len(stack) == 0
}

func FuzzBrackets(f *testing.F) {
	f.Add("(a)")
	f.Fuzz(func(t *testing.T, s string) { balanced(s) })
}

// unquote removes quotes around s.
func unquote(s string) string {
	if strings.HasPrefix(s, `"`) && strings.HasSuffix(s, `"`) {
		return s[1 : len(s)-1]
	}
	return s
}

func FuzzUnquote(f *testing.F) {
	f.Add(`"abc"`)
	f.Fuzz(func(t *testing.T, s string) { _ = unquote(s) })
}

func reverse(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func FuzzReverse(f *testing.F) {
	f.Add("hello")
	f.Fuzz(func(t *testing.T, s string) {
		r := reverse(s)
		if utf8.ValidString(s) && !utf8.ValidString(r) {
			t.Errorf("%q became %q", s, r)
		}
	})
}

// truncate shortens s to at most n bytes, with dots at its end.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n-3] + "..."
}

func FuzzTruncate(f *testing.F) {
	f.Add("a long sentence", 8)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 3 {
			return
		}
		if r := truncate(s, n); utf8.ValidString(s) && !utf8.ValidString(r) {
			t.Errorf("%q", r)
		}
	})
}

// parseVersion reads a version such as v1.2.3.
func parseVersion(s string) (v [3]int, err error) {
	rest, ok := strings.CutPrefix(s, "v")
	if !ok {
		return v, errSyntax
	}
	for i, part := range strings.Split(rest, ".") {
		v[i], err = strconv.Atoi(part)
		if err != nil {
			return v, err
		}
	}
	return v, nil
}

func FuzzVersion(f *testing.F) {
	f.Add("v1.2.3")
	f.Fuzz(func(t *testing.T, s string) { parseVersion(s) })
}

// runs encodes aaab as 3a1b; unruns decodes it.
func runs(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] == s[i] {
			j++
		}
		b.WriteString(strconv.Itoa(j - i))
		b.WriteByte(s[i])
		i = j
	}
	return b.String()
}

func unruns(s string) string {
	var b strings.Builder
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n = n*10 + int(s[i]-'0')
			continue
		}
		if n > 1000 {
			return ""
		}
		b.WriteString(strings.Repeat(s[i:i+1], n))
		n = 0
	}
	return b.String()
}

func FuzzRunLength(f *testing.F) {
	f.Add("aaab")
	f.Fuzz(func(t *testing.T, s string) {
		if got := unruns(runs(s)); got != s {
			t.Errorf("%q became %q", s, got)
		}
	})
}

// uvarint reads a number of seven bits a byte.
func uvarint(b []byte) (uint32, int) {
	var v uint32
	for i := 0; ; i++ {
		v |= uint32(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
}

func FuzzUvarint(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 0 {
			uvarint(b)
		}
	})
}

// hexDecode decodes pairs of hex digits.
func hexDecode(s string) ([]byte, error) {
	digit := func(c byte) (byte, error) {
		switch {
		case c >= '0' && c <= '9':
			return c - '0', nil
		case c >= 'a' && c <= 'f':
			return c - 'a' + 10, nil
		}
		return 0, errSyntax
	}
	var out []byte
	for i := 0; i < len(s); i += 2 {
		hi, err := digit(s[i])
		if err != nil {
			return nil, err
		}
		lo, err := digit(s[i+1])
		if err != nil {
			return nil, err
		}
		out = append(out, hi<<4|lo)
	}
	return out, nil
}

func FuzzHexDecode(f *testing.F) {
	f.Add("00ff")
	f.Fuzz(func(t *testing.T, s string) { hexDecode(s) })
}

// percentDecode decodes %41 to A.
func percentDecode(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return s
		}
		b.WriteByte(byte(n))
		i += 2
	}
	return b.String()
}

func FuzzPercent(f *testing.F) {
	f.Add("a b")
	f.Fuzz(func(t *testing.T, s string) { percentDecode(s) })
}

// splitCSV splits a line at commas, except in quotes.
func splitCSV(line string) []string {
	var out []string
	for i := 0; i <= len(line); {
		if i < len(line) && line[i] == '"' {
			end := i + 1
			for line[end] != '"' {
				end++
			}
			out = append(out, line[i+1:end])
			i = end + 2
			continue
		}
		end := strings.IndexByte(line[i:], ',')
		if end < 0 {
			return append(out, line[i:])
		}
		out = append(out, line[i:i+end])
		i += end + 1
	}
	return out
}

func FuzzSplitCSV(f *testing.F) {
	f.Add("a,b,c")
	f.Fuzz(func(t *testing.T, line string) { splitCSV(line) })
}

func average(a, b int32) int32 { return (a + b) / 2 }

func FuzzAverage(f *testing.F) {
	f.Add(int32(2), int32(4))
	f.Fuzz(func(t *testing.T, a, b int32) {
		if m := average(a, b); m < min(a, b) || m > max(a, b) {
			t.Errorf("%d of %d and %d", m, a, b)
		}
	})
}

// bucket returns the bucket of a hash that may be negative.
func bucket(hash int64, n int) int {
	if hash < 0 {
		hash = -hash
	}
	return int(hash % int64(n))
}

func FuzzBucket(f *testing.F) {
	f.Add(int64(17))
	f.Fuzz(func(t *testing.T, hash int64) {
		if bucket(hash, 7) < 0 {
			t.Errorf("bucket %d", bucket(hash, 7))
		}
	})
}

var monthDays = [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// dayOfYear returns the number of the day of a date such as 03-31.
func dayOfYear(s string) (int, error) {
	m, d, ok := strings.Cut(s, "-")
	if !ok {
		return 0, errSyntax
	}
	month, err := strconv.Atoi(m)
	if err != nil || month < 1 {
		return 0, errSyntax
	}
	day, err := strconv.Atoi(d)
	if err != nil || day < 1 || day > monthDays[month-1] {
		return 0, errSyntax
	}
	for _, n := range monthDays[:month-1] {
		day += n
	}
	return day, nil
}

func FuzzDayOfYear(f *testing.F) {
	f.Add("03-31")
	f.Fuzz(func(t *testing.T, s string) { dayOfYear(s) })
}

var romanDigits = []struct {
	value int
	text  string
}{{100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}

func roman(n int) string {
	var b strings.Builder
	for _, d := range romanDigits {
		for n >= d.value {
			b.WriteString(d.text)
			n -= d.value
		}
	}
	return b.String()
}

// parseRoman takes a numeral to be valid if each digit is at most the one before, or a pair such
// as IV.
func parseRoman(s string) (int, error) {
	n, last := 0, 100
	for s != "" {
		found := false
		for _, d := range romanDigits {
			if rest, ok := strings.CutPrefix(s, d.text); ok && d.value <= last {
				n, last, s, found = n+d.value, d.value, rest, true
				break
			}
		}
		if !found {
			return 0, errSyntax
		}
	}
	return n, nil
}

func FuzzRoman(f *testing.F) {
	f.Add("XIV")
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parseRoman(s); err == nil && n < 1000 && roman(n) != s {
			t.Errorf("%q is %q", s, roman(n))
		}
	})
}

// readChunk reads a chunk such as 3\r\nabc.
func readChunk(data []byte) ([]byte, error) {
	size, rest, ok := bytes.Cut(data, []byte("\r\n"))
	if !ok {
		return nil, errSyntax
	}
	n, err := strconv.ParseInt(string(size), 16, 32)
	if err != nil || n < 0 {
		return nil, errSyntax
	}
	return rest[:n], nil
}

func FuzzChunk(f *testing.F) {
	f.Add([]byte("3\r\nabc"))
	f.Fuzz(func(t *testing.T, data []byte) { readChunk(data) })
}

// sumRecords adds the lengths of records: a kind, a length, the value. Kind 2 contains records.
func sumRecords(data []byte, depth int) int {
	sum := 0
	for len(data) > 1 && depth < 5 {
		n := int(data[1])
		if data[0] == 2 {
			sum += sumRecords(data[2:2+n], depth+1)
		} else if len(data) < 2+n {
			return -1
		}
		sum += n
		data = data[2+n:]
	}
	return sum
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte{1, 1, 9})
	f.Fuzz(func(t *testing.T, data []byte) { sumRecords(data, 0) })
}

// title makes the first letter of each word a large one.
func title(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

func FuzzTitle(f *testing.F) {
	f.Add("hello world")
	f.Fuzz(func(t *testing.T, s string) { title(s) })
}

// parseIPv4 reads an address such as 10.0.0.1.
func parseIPv4(s string) (a [4]byte, err error) {
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return a, errSyntax
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || p != strconv.Itoa(n) {
			return a, errSyntax
		}
		a[i] = byte(n)
	}
	return a, nil
}

func FuzzIPv4(f *testing.F) {
	f.Add("10.0.0.1")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseIPv4(s)
		if err != nil {
			return
		}
		var parts []string
		for _, b := range a {
			parts = append(parts, strconv.Itoa(int(b)))
		}
		if got := strings.Join(parts, "."); got != s {
			t.Errorf("%s became %s", s, got)
		}
	})
}

// compareVersions compares numbers with dots.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i, x := range as {
		if i == len(bs) {
			return 1
		}
		n, _ := strconv.Atoi(x)
		m, _ := strconv.Atoi(bs[i])
		if n != m {
			return n - m
		}
	}
	return 0
}

func FuzzCompare(f *testing.F) {
	f.Add("1.2", "1.3")
	f.Fuzz(func(t *testing.T, a, b string) {
		if x, y := compareVersions(a, b), compareVersions(b, a); x > 0 && y > 0 || x > 0 && y == 0 {
			t.Errorf("%q and %q: %d, %d", a, b, x, y)
		}
	})
}

// wrap breaks a text into lines of at most width bytes.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(s) {
		if line != "" && len(line)+1+len(w) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}

func FuzzWrap(f *testing.F) {
	f.Add("some words in a line")
	f.Fuzz(func(t *testing.T, s string) {
		for _, line := range wrap(s, 20) {
			if len(line) > 20 {
				t.Errorf("a line of %d bytes", len(line))
			}
		}
	})
}

// calculate evaluates an expression such as 1 2 +.
func calculate(s string) (int, error) {
	var stack []int
	for _, w := range strings.Fields(s) {
		n, err := strconv.Atoi(w)
		if err == nil {
			stack = append(stack, n)
			continue
		}
		if len(stack) == 0 {
			return 0, errSyntax
		}
		a := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch w {
		case "+":
			stack[len(stack)-1] += a
		case "neg":
			stack = append(stack, -a)
		case "dup":
			stack = append(stack, a, a)
		default:
			return 0, errSyntax
		}
	}
	if len(stack) != 1 {
		return 0, errSyntax
	}
	return stack[0], nil
}

func FuzzCalculate(f *testing.F) {
	f.Add("1 2 +")
	f.Fuzz(func(t *testing.T, s string) { calculate(s) })
}

// door moves a door by letters: o opens, c closes, l locks, u unlocks, b breaks a locked one. It
// must not be open and locked.
func door(steps string) bool {
	open, locked, broken := false, false, false
	for _, c := range steps {
		switch c {
		case 'o':
			open = open || !locked || broken
		case 'c':
			open = false
		case 'l':
			locked = locked || !open
		case 'u':
			locked = false
			broken = false
		case 'b':
			broken = locked
		default:
			return false
		}
	}
	return open && locked
}

func FuzzDoor(f *testing.F) {
	f.Add("oc")
	f.Fuzz(func(t *testing.T, steps string) {
		if door(steps) {
			t.Errorf("open and locked after %q", steps)
		}
	})
}

// ratio divides the numbers of a text such as 3/4, in percent.
func ratio(s string) (int, error) {
	a, b, ok := strings.Cut(s, "/")
	if !ok {
		return 0, errSyntax
	}
	n, err := strconv.Atoi(a)
	if err != nil {
		return 0, err
	}
	m, err := strconv.Atoi(b)
	if err != nil {
		return 0, err
	}
	return 100 * n / m, nil
}

func FuzzRatio(f *testing.F) {
	f.Add("3/4")
	f.Fuzz(func(t *testing.T, s string) { ratio(s) })
}

// join joins two parts of a path without two slashes between.
func join(a, b string) string {
	return strings.TrimSuffix(a, "/") + "/" + strings.TrimPrefix(b, "/")
}

func FuzzJoin(f *testing.F) {
	f.Add("a", "b")
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.Contains(a, ".") || strings.Contains(b, ".") || a == "" || b == "" {
			return
		}
		if got, want := join(a, b), path.Join(a, b); got != want && strings.TrimSuffix(got, "/") != want {
			t.Errorf("%q instead of %q", got, want)
		}
	})
}

// withVersion adds a version to a document.
func withVersion(data []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	doc["version"] = 2
	return json.Marshal(doc)
}

func FuzzJSONNull(f *testing.F) {
	f.Add([]byte(`{"a":1}`))
	f.Fuzz(func(t *testing.T, data []byte) { withVersion(data) })
}

// pixel returns the first pixel of a picture: BM, width, height, depth, data.
func pixel(data []byte) (byte, error) {
	if len(data) < 6 {
		return 0, errSyntax
	}
	if data[0] != 'B' {
		return 0, errSyntax
	}
	if data[1] != 'M' {
		return 0, errSyntax
	}
	w, h, depth := int(data[2]), int(data[3]), data[4]
	switch depth {
	case 8:
		if len(data)-5 < w*h {
			return 0, errSyntax
		}
		return data[5], nil
	case 24:
		return data[5+3*w*h-1], nil
	}
	return 0, errSyntax
}

func FuzzPixel(f *testing.F) {
	f.Add([]byte("BM\x01\x01\x08\x00"))
	f.Fuzz(func(t *testing.T, data []byte) { pixel(data) })
}

// utf16 encodes runes in units of two bytes.
func utf16(s string) []uint16 {
	var out []uint16
	for _, r := range s {
		out = append(out, uint16(r))
	}
	return out
}

func FuzzUTF16(f *testing.F) {
	f.Add("abc")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		var back []rune
		for _, u := range utf16(s) {
			back = append(back, rune(u))
		}
		if string(back) != s {
			t.Errorf("%q became %q", s, string(back))
		}
	})
}

// expand replaces {{name}} by its value.
func expand(s string, values map[string]string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "{{")
		if i < 0 {
			return b.String() + s
		}
		b.WriteString(s[:i])
		s = s[i+2:]
		end := strings.Index(s, "}}")
		b.WriteString(values[s[:end]])
		s = s[end+2:]
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("Dear {{name}}")
	f.Fuzz(func(t *testing.T, s string) { expand(s, map[string]string{"name": "Ann"}) })
}

const base36 = "0123456789abcdefghijklmnopqrstuvwxyz"

// encode36 writes up to eight bytes as a number to base 36; decode36 reads it.
func encode36(b []byte) string {
	var n uint64
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	var out []byte
	for ; n > 0; n /= 36 {
		out = append(out, base36[n%36])
	}
	slices.Reverse(out)
	return string(out)
}

func decode36(s string) []byte {
	var n uint64
	for i := range len(s) {
		n = n*36 + uint64(strings.IndexByte(base36, s[i]))
	}
	var out []byte
	for ; n > 0; n >>= 8 {
		out = append(out, byte(n))
	}
	slices.Reverse(out)
	return out
}

func FuzzBase36(f *testing.F) {
	f.Add([]byte("abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) <= 8 && !bytes.Equal(decode36(encode36(b)), b) {
			t.Errorf("%x became %x", b, decode36(encode36(b)))
		}
	})
}

// numbers expands a range such as 3-5.
func numbers(s string) ([]int, error) {
	a, b, ok := strings.Cut(s, "-")
	if !ok {
		return nil, errSyntax
	}
	from, err := strconv.ParseUint(a, 10, 8)
	if err != nil {
		return nil, err
	}
	to, err := strconv.ParseUint(b, 10, 8)
	if err != nil || to > math.MaxInt8 {
		return nil, errSyntax
	}
	out := make([]int, int(to)-int(from)+1)
	for i := range out {
		out[i] = int(from) + i
	}
	return out, nil
}

func FuzzNumbers(f *testing.F) {
	f.Add("3-5")
	f.Fuzz(func(t *testing.T, s string) { numbers(s) })
}
