// Package scanners has fuzz targets that go over a text by hand, byte after byte. Each has a bug
// behind a form of the text, and a twin without it. They were written before heddle knew anything
// of such loops.
package scanners

import (
	"errors"
	"testing"
)

// fuzz adds a corpus of one text and fuzzes one of the scanners.
func fuzz(f *testing.F, first string, fixed bool, scan func(t *testing.T, s string, fixed bool)) {
	f.Add(first)
	f.Fuzz(func(t *testing.T, s string) { scan(t, s, fixed) })
}

// option reads settings such as "depth = 12; name = x". A depth of 64 is one too many.
func option(t *testing.T, s string, fixed bool) {
	var table [64]int
	for i := 0; i < len(s); {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		key := i
		for i < len(s) && s[i] != '=' && s[i] != ' ' {
			i++
		}
		name := s[key:i]
		for i < len(s) && (s[i] == ' ' || s[i] == '=') {
			i++
		}
		value := i
		for i < len(s) && s[i] != ';' {
			i++
		}
		if name == "depth" {
			n := 0
			for _, c := range s[value:i] {
				if c < '0' || c > '9' || n > 64 {
					return
				}
				n = 10*n + int(c-'0')
			}
			if fixed && n >= 64 || n > 64 {
				return
			}
			table[n] = 1
		}
		i++
	}
}

func FuzzOption(f *testing.F)      { fuzz(f, "name = x", false, option) }
func FuzzOptionFixed(f *testing.F) { fuzz(f, "name = x", true, option) }

// quoted reads a text in quotes. A backslash is followed by one byte; by none it is a mistake.
func quoted(t *testing.T, s string, fixed bool) {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n') {
		i++
	}
	if i == len(s) || s[i] != '"' {
		return
	}
	i++
	var out []byte
	for i < len(s) && s[i] != '"' {
		c := s[i]
		if c == '\\' {
			i++
			if fixed && i == len(s) {
				return
			}
			switch c = s[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			}
		}
		out = append(out, c)
		i++
	}
	t.Log("text of", len(out))
}

func FuzzQuoted(f *testing.F)      { fuzz(f, "a", false, quoted) }
func FuzzQuotedFixed(f *testing.F) { fuzz(f, "a", true, quoted) }

// amount reads a number with a unit, such as 250ms. The factor of days is missing.
func amount(t *testing.T, s string, fixed bool) {
	i, n := 0, 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		if n = 10*n + int(s[i]-'0'); n > 1_000_000 {
			return
		}
		i++
	}
	if i == 0 {
		return
	}
	unit := i
	for i < len(s) && s[i] >= 'a' && s[i] <= 'z' {
		i++
	}
	factor := 0
	switch s[unit:i] {
	case "ms":
		factor = 1
	case "s":
		factor = 1000
	case "min":
		factor = 60_000
	case "days":
		if fixed {
			factor = 86_400_000
		}
	default:
		return
	}
	for i < len(s) && s[i] == ' ' {
		i++
	}
	if i == len(s) && n > 0 && n*factor == 0 {
		t.Errorf("%s is nothing", s)
	}
}

func FuzzAmount(f *testing.F)      { fuzz(f, "5", false, amount) }
func FuzzAmountFixed(f *testing.F) { fuzz(f, "5", true, amount) }

// comment skips comments between words. The end of a comment that is not closed lies beyond the
// text.
func comment(t *testing.T, s string, fixed bool) {
	words := 0
	for i := 0; i < len(s); {
		switch {
		case s[i] == ' ':
			i++
		case i+1 < len(s) && s[i] == '/' && s[i+1] == '*':
			i += 2
			for i+1 < len(s) && (s[i] != '*' || s[i+1] != '/') {
				i++
			}
			if i += 2; i > len(s) {
				if fixed {
					return
				}
				_ = s[:i]
			}
		default:
			for i < len(s) && s[i] != ' ' && s[i] != '/' {
				i++
			}
			if i < len(s) && s[i] == '/' {
				i++
			}
			words++
		}
	}
}

func FuzzComment(f *testing.F)      { fuzz(f, "a b", false, comment) }
func FuzzCommentFixed(f *testing.F) { fuzz(f, "a b", true, comment) }

// ini reads lines of sections: [server], then port=0 and the like.
func ini(t *testing.T, s string, fixed bool) {
	section := ""
	for i := 0; i < len(s); i++ {
		begin := i
		for i < len(s) && s[i] != '\n' {
			i++
		}
		line := s[begin:i]
		if len(line) > 2 && line[0] == '[' && line[len(line)-1] == ']' {
			section = line[1 : len(line)-1]
			continue
		}
		eq := 0
		for eq < len(line) && line[eq] != '=' {
			eq++
		}
		if eq == len(line) {
			continue
		}
		if section == "server" && line[:eq] == "port" && line[eq+1:] == "0" && !fixed {
			t.Error("no port")
		}
	}
}

func FuzzIni(f *testing.F)      { fuzz(f, "[a]\nb=c\n", false, ini) }
func FuzzIniFixed(f *testing.F) { fuzz(f, "[a]\nb=c\n", true, ini) }

var errDate = errors.New("no date")

// digits reads n digits of s.
func digits(s string, n int) (x int, rest string, err error) {
	for i := range n {
		if i >= len(s) || s[i] < '0' || s[i] > '9' {
			return 0, s, errDate
		}
		x = 10*x + int(s[i]-'0')
	}
	return x, s[n:], nil
}

// date reads a day such as 24/Feb/2029. The 29th of February is one of leap years alone.
func date(t *testing.T, s string, fixed bool) {
	day, s, err := digits(s, 2)
	if err != nil || len(s) == 0 || s[0] != '/' {
		return
	}
	i := 1
	for i < len(s) && s[i] != '/' {
		i++
	}
	if i == len(s) {
		return
	}
	month := s[1:i]
	year, s, err := digits(s[i+1:], 4)
	if err != nil || len(s) > 0 {
		return
	}
	leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
	if month == "Feb" && day == 29 && year > 1900 && !leap && !fixed {
		t.Error("the 29th of February")
	}
}

func FuzzDate(f *testing.F)      { fuzz(f, "", false, date) }
func FuzzDateFixed(f *testing.F) { fuzz(f, "", true, date) }

// address reads scheme://host:port/path.
func address(t *testing.T, s string, fixed bool) {
	i := 0
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] == '+') {
		i++
	}
	scheme := s[:i]
	if len(s)-i < 3 || s[i] != ':' || s[i+1] != '/' || s[i+2] != '/' {
		return
	}
	s = s[i+3:]
	host := 0
	for host < len(s) && s[host] != ':' && s[host] != '/' {
		host++
	}
	port, rest := "", s[host:]
	if len(rest) > 0 && rest[0] == ':' {
		end := 1
		for end < len(rest) && rest[end] != '/' {
			end++
		}
		port, rest = rest[1:end], rest[end:]
	}
	if scheme == "ssh" && host > 0 && port == "22" && rest != "" {
		if fixed && len(rest) < 2 {
			return
		}
		if rest[1] == '~' {
			return
		}
	}
}

func FuzzAddress(f *testing.F)      { fuzz(f, "http://a", false, address) }
func FuzzAddressFixed(f *testing.F) { fuzz(f, "http://a", true, address) }

// A lexer reads words, numbers and signs.
type lexer struct {
	s string
	i int
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func (l *lexer) next() string {
	for l.i < len(l.s) && (l.s[l.i] == ' ' || l.s[l.i] == '\t') {
		l.i++
	}
	begin := l.i
	switch {
	case l.i == len(l.s):
		return ""
	case letter(l.s[l.i]):
		for l.i < len(l.s) && (letter(l.s[l.i]) || digit(l.s[l.i])) {
			l.i++
		}
	case digit(l.s[l.i]):
		for l.i < len(l.s) && digit(l.s[l.i]) {
			l.i++
		}
	default:
		l.i++
	}
	return l.s[begin:l.i]
}

// program reads let x1 = 12.
func program(t *testing.T, s string, fixed bool) {
	l := lexer{s: s}
	if l.next() != "let" {
		return
	}
	name := l.next()
	if name == "" || !letter(name[0]) || l.next() != "=" {
		return
	}
	value := l.next()
	if fixed && value == "" {
		return
	}
	if !digit(value[0]) {
		t.Log("no number:", value)
	}
}

func FuzzProgram(f *testing.F)      { fuzz(f, "x", false, program) }
func FuzzProgramFixed(f *testing.F) { fuzz(f, "x", true, program) }

// list reads (add 1 (neg 2)) and the like. An operator without operands is a mistake.
func list(t *testing.T, s string, fixed bool) {
	depth, i := 0, 0
	for i < len(s) {
		switch c := s[i]; {
		case c == '(':
			depth++
			i++
			begin := i
			for i < len(s) && letter(s[i]) {
				i++
			}
			if s[begin:i] == "neg" && depth == 2 && i < len(s) && s[i] == ')' && !fixed {
				t.Error("neg of nothing")
			}
		case c == ')':
			if depth--; depth < 0 {
				return
			}
			i++
		default:
			i++
		}
	}
}

func FuzzList(f *testing.F)      { fuzz(f, "(a)", false, list) }
func FuzzListFixed(f *testing.F) { fuzz(f, "(a)", true, list) }

// request reads the first line of a request and one header of it.
func request(t *testing.T, s string, fixed bool) {
	word := func(end byte) string {
		for i := range len(s) {
			if s[i] == end {
				w := s[:i]
				s = s[i+1:]
				return w
			}
		}
		w := s
		s = ""
		return w
	}
	method, target, version := word(' '), word(' '), word('\n')
	if method != "PUT" || target == "" || target[0] != '/' || version != "HTTP/1.1" {
		return
	}
	name := word(':')
	for len(s) > 0 && s[0] == ' ' {
		s = s[1:]
	}
	if name == "Range" && s != "" && s[len(s)-1] == '-' && !fixed {
		t.Error("a range without an end")
	}
}

func FuzzRequest(f *testing.F)      { fuzz(f, "GET / HTTP/1.0\n", false, request) }
func FuzzRequestFixed(f *testing.F) { fuzz(f, "GET / HTTP/1.0\n", true, request) }

// version reads v1.2.3-rc1. Of a name after the dash at least one byte is wanted.
func version(t *testing.T, s string, fixed bool) {
	if s == "" || s[0] != 'v' {
		return
	}
	i := 1
	for n := range 3 {
		begin := i
		for i < len(s) && digit(s[i]) {
			i++
		}
		if i == begin || s[begin] == '0' && i > begin+1 {
			return
		}
		if n < 2 {
			if i == len(s) || s[i] != '.' {
				return
			}
			i++
		}
	}
	if i < len(s) && s[i] == '-' {
		name := s[i+1:]
		if fixed && name == "" {
			return
		}
		if name[0] == '0' {
			return
		}
	}
}

func FuzzVersion(f *testing.F)      { fuzz(f, "v1", false, version) }
func FuzzVersionFixed(f *testing.F) { fuzz(f, "v1", true, version) }

// cells reads a,"b ""c""",d.
func cells(t *testing.T, s string, fixed bool) {
	var out []string
	for i := 0; i < len(s); i++ {
		var cell []byte
		if s[i] == '"' {
			for i++; i < len(s); i++ {
				if s[i] == '"' {
					if i+1 == len(s) || s[i+1] != '"' {
						i++
						break
					}
					i++
				}
				cell = append(cell, s[i])
			}
		} else {
			for i < len(s) && s[i] != ',' {
				cell = append(cell, s[i])
				i++
			}
		}
		if i < len(s) && s[i] != ',' {
			return
		}
		out = append(out, string(cell))
	}
	if len(out) == 3 && out[1] == "a,b" && !fixed {
		t.Error("a comma in a cell")
	}
}

func FuzzCells(f *testing.F)      { fuzz(f, "a,b", false, cells) }
func FuzzCellsFixed(f *testing.F) { fuzz(f, "a,b", true, cells) }

// clean removes . and .. of a path.
func clean(t *testing.T, s string, fixed bool) {
	var parts []string
	for i := 0; i < len(s); i++ {
		begin := i
		for i < len(s) && s[i] != '/' {
			i++
		}
		switch part := s[begin:i]; part {
		case "", ".":
		case "..":
			if fixed && len(parts) == 0 {
				continue
			}
			parts = parts[:len(parts)-1]
		default:
			parts = append(parts, part)
		}
	}
	_ = parts
}

func FuzzClean(f *testing.F)      { fuzz(f, "a", false, clean) }
func FuzzCleanFixed(f *testing.F) { fuzz(f, "a", true, clean) }

func hexDigit(c byte) (int, bool) {
	switch {
	case digit(c):
		return int(c - '0'), true
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10, true
	}
	return 0, false
}

// percent reads %41 as A. Which of the two digits is none is told by its place.
func percent(t *testing.T, s string, fixed bool) {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			out = append(out, s[i])
			continue
		}
		if i+2 >= len(s) {
			return
		}
		a, ok1 := hexDigit(s[i+1])
		b, ok2 := hexDigit(s[i+2])
		if !ok1 || !ok2 {
			return
		}
		out = append(out, byte(a<<4|b))
		i += 2
	}
	if len(out) > 3 && string(out[len(out)-4:]) == "/../" && len(out) < len(s) && !fixed {
		t.Error("a way out")
	}
}

func FuzzPercent(f *testing.F)      { fuzz(f, "a%20b", false, percent) }
func FuzzPercentFixed(f *testing.F) { fuzz(f, "a%20b", true, percent) }

// ending reads the name of a file from behind: spaces, the ending, and dots before it.
func ending(t *testing.T, s string, fixed bool) {
	n := len(s)
	for n > 0 && (s[n-1] == ' ' || s[n-1] == '.') {
		n--
	}
	dot := n - 1
	for dot >= 0 && s[dot] != '.' {
		dot--
	}
	if dot < 0 {
		return
	}
	base := dot
	for base > 0 && s[base-1] != '/' {
		base--
	}
	if s[dot+1:n] == "tmp" && base > 0 && s[:base] != "/" && !fixed {
		if dot == base {
			t.Error("a name that is but an ending")
		}
	}
}

func FuzzEnding(f *testing.F)      { fuzz(f, "a.b", false, ending) }
func FuzzEndingFixed(f *testing.F) { fuzz(f, "a.b", true, ending) }
