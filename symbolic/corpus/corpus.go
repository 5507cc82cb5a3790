// Package corpus reads and writes inputs of fuzz targets in Go's format, in testdata/fuzz/<Target>:
// a line with the version, then a line for each argument.
//
//	go test fuzz v1
//	int(-5)
//	string("abc")
//	[]byte("\x00x")
package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Dir is the folder of the inputs, relative to the package. Each target has a subfolder.
const Dir = "testdata/fuzz"

const version = "go test fuzz v1"

// Parse parses a file of the corpus into arguments, each of a type that (*testing.F).Fuzz takes.
func Parse(data []byte) ([]any, error) {
	lines := bytes.Split(data, []byte("\n"))
	if first := strings.TrimRight(string(lines[0]), "\r"); first != version {
		return nil, fmt.Errorf("line 1: want %q, got %q", version, clip(first))
	}
	var values []any
	for i, line := range lines[1:] {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		v, err := Value(string(line))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return nil, errors.New("want at least one value")
	}
	return values, nil
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// Format returns the text of a file of the corpus.
func Format(values []any) []byte { return File(Texts(values)) }

// File is Format for values in the notation of Text.
func File(texts []string) []byte {
	b := []byte(version + "\n")
	for _, s := range texts {
		b = append(append(b, s...), '\n')
	}
	return b
}

// Name returns the name that Go gives to a file with that text.
func Name(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Text returns a value in the notation of the corpus, such as int(-5). It panics if no fuzz target
// takes the type.
func Text(v any) string {
	switch v := v.(type) {
	case int:
		return "int(" + strconv.Itoa(v) + ")"
	case int8, int16, int64, uint, uint16, uint32, uint64, bool:
		return fmt.Sprintf("%T(%v)", v, v)
	case int32:
		if utf8.ValidRune(v) {
			return fmt.Sprintf("rune(%q)", v)
		}
		return fmt.Sprintf("int32(%v)", v)
	case uint8:
		return fmt.Sprintf("byte(%q)", v)
	case float32:
		if math.IsNaN(float64(v)) && math.Float32bits(v) != math.Float32bits(float32(math.NaN())) {
			return fmt.Sprintf("math.Float32frombits(0x%x)", math.Float32bits(v))
		}
		return fmt.Sprintf("float32(%v)", v)
	case float64:
		if math.IsNaN(v) && math.Float64bits(v) != math.Float64bits(math.NaN()) {
			return fmt.Sprintf("math.Float64frombits(0x%x)", math.Float64bits(v))
		}
		return fmt.Sprintf("float64(%v)", v)
	case string:
		return quoted("string", v)
	case []byte:
		return quoted("[]byte", string(v))
	}
	panic(fmt.Sprintf("corpus: no argument of a fuzz target: %T", v))
}

// quoted is fmt.Sprintf("%s(%q)", typ, s): inputs by chance are written one after the other.
func quoted(typ, s string) string {
	b := make([]byte, 0, len(typ)+len(s)+len(s)/4+8)
	b = strconv.AppendQuote(append(append(b, typ...), '('), s)
	return string(append(b, ')'))
}

// Texts returns all values in the notation of Text.
func Texts(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = Text(v)
	}
	return out
}

// Values parses what Texts returned.
func Values(texts []string) ([]any, error) {
	out := make([]any, len(texts))
	for i, s := range texts {
		v, err := Value(s)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// Value parses a value in the notation of Text, and in those that Go's own tools and users write.
func Value(s string) (any, error) {
	typ, arg, ok := strings.Cut(strings.TrimSpace(s), "(")
	if !ok || !strings.HasSuffix(arg, ")") {
		return nil, fmt.Errorf("want a value such as int(-5), got %q", clip(s))
	}
	typ, arg = strings.TrimSpace(typ), strings.TrimSpace(strings.TrimSuffix(arg, ")"))
	v, err := value(typ, arg)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", clip(s), err)
	}
	return v, nil
}

func value(typ, arg string) (any, error) {
	switch typ {
	case "string":
		return strconv.Unquote(arg)
	case "[]byte":
		s, err := strconv.Unquote(arg)
		return []byte(s), err
	case "bool":
		switch arg {
		case "true", "false":
			return arg == "true", nil
		}
		return nil, errors.New("want true or false")
	case "float32":
		f, err := strconv.ParseFloat(arg, 32)
		return float32(f), err
	case "float64":
		return strconv.ParseFloat(arg, 64)
	case "math.Float32frombits":
		n, err := strconv.ParseUint(arg, 0, 32)
		return math.Float32frombits(uint32(n)), err
	case "math.Float64frombits":
		n, err := strconv.ParseUint(arg, 0, 64)
		return math.Float64frombits(n), err
	}
	return integer(typ, arg)
}

func integer(typ, arg string) (any, error) {
	if (typ == "byte" || typ == "rune" || typ == "uint8" || typ == "int32") && strings.HasPrefix(arg, "'") {
		r, _, rest, err := strconv.UnquoteChar(arg[1:], '\'')
		if err != nil || rest != "'" {
			return nil, errors.New("want a character such as 'x'")
		}
		arg = strconv.Itoa(int(r))
	}
	switch typ {
	case "int", "int8", "int16", "int32", "int64", "rune":
		bits := map[string]int{"int": strconv.IntSize, "int8": 8, "int16": 16, "int32": 32, "rune": 32,
			"int64": 64}[typ]
		n, err := strconv.ParseInt(arg, 0, bits)
		if err != nil {
			return nil, err
		}
		switch typ {
		case "int":
			return int(n), nil
		case "int8":
			return int8(n), nil
		case "int16":
			return int16(n), nil
		case "int64":
			return n, nil
		}
		return int32(n), nil
	case "uint", "uint8", "uint16", "uint32", "uint64", "byte":
		bits := map[string]int{"uint": strconv.IntSize, "uint8": 8, "byte": 8, "uint16": 16, "uint32": 32,
			"uint64": 64}[typ]
		n, err := strconv.ParseUint(arg, 0, bits)
		if err != nil {
			return nil, err
		}
		switch typ {
		case "uint":
			return uint(n), nil
		case "uint16":
			return uint16(n), nil
		case "uint32":
			return uint32(n), nil
		case "uint64":
			return n, nil
		}
		return uint8(n), nil
	}
	return nil, fmt.Errorf("no argument of a fuzz target has the type %s", clip(typ))
}
