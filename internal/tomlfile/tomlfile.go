// Package tomlfile reads the TOML files that users write for heddle, with the line of every key:
//
//	budget = "30s"          Item{Line: 1, Key: "budget", Value: "30s"}
//	[[ignore]]              Item{Line: 2, Table: "ignore", N: 1}
//	kind = "data race"      Item{Line: 3, Table: "ignore", N: 1, Key: "kind", Value: "data race"}
//
// The syntax is github.com/pelletier/go-toml/v2's. Of the two libraries that are well kept it is
// the one whose parser says where each key stands: github.com/BurntSushi/toml gives the line of an
// error in the syntax, and none for a key that the program does not know.
package tomlfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// An Item is a key with its value, or the header of a table, which has no Key.
type Item struct {
	Line  int
	Table string // "" before the first header
	N     int    // the number of the table's header in the file, from 1; 0 before the first
	Array bool   // it is, or is in, an element of an array of tables: [[table]]
	Key   string
	Value any // string, int64, bool, []string; Other for anything else
}

// Other is a value of another type. It says which, with its article.
type Other string

// An Error is something wrong at a line of a file.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// Errorf returns an Error.
func Errorf(file string, line int, format string, args ...any) *Error {
	return &Error{file, line, fmt.Sprintf(format, args...)}
}

// Read returns the items of a file in their order. The error has the line.
func Read(file string, data []byte) ([]Item, error) {
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil { // what is defined twice, too
		line := 1
		if d := new(toml.DecodeError); errors.As(err, &d) {
			line, _ = d.Position()
		}
		return nil, Errorf(file, max(line, 1), "not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	var p unstable.Parser
	p.Reset(data)
	var items []Item
	at := Item{}
	for p.NextExpression() {
		x := p.Expression()
		key, line := keyOf(&p, x.Key())
		switch x.Kind {
		case unstable.Table, unstable.ArrayTable:
			at = Item{Line: line, Table: key, N: at.N + 1, Array: x.Kind == unstable.ArrayTable}
			items = append(items, at)
		case unstable.KeyValue:
			it := at
			it.Line, it.Key, it.Value = line, key, valueOf(x.Value())
			items = append(items, it)
		}
	}
	if err := p.Error(); err != nil {
		return nil, Errorf(file, 1, "not TOML: %v", err)
	}
	return items, nil
}

// keyOf returns a key, dots between its parts, and its line.
func keyOf(p *unstable.Parser, it unstable.Iterator) (key string, line int) {
	var parts []string
	for it.Next() {
		n := it.Node()
		if line == 0 {
			line = p.Shape(n.Raw).Start.Line
		}
		parts = append(parts, string(n.Data))
	}
	return strings.Join(parts, "."), line
}

func valueOf(n *unstable.Node) any {
	switch n.Kind {
	case unstable.String:
		return string(n.Data)
	case unstable.Bool:
		return string(n.Data) == "true"
	case unstable.Integer:
		v, err := strconv.ParseInt(strings.ReplaceAll(string(n.Data), "_", ""), 0, 64)
		if err != nil {
			return Other("a number that is too large")
		}
		return v
	case unstable.Array:
		list := []string{}
		for it := n.Children(); it.Next(); {
			switch it.Node().Kind {
			case unstable.String:
				list = append(list, string(it.Node().Data))
			case unstable.Comment:
			default:
				return Other("an array of other things than strings")
			}
		}
		return list
	case unstable.Float:
		return Other("a number with a point")
	case unstable.InlineTable:
		return Other("a table")
	}
	return Other("a date or time")
}

// TypeOf says of which type a value is, with its article.
func TypeOf(value any) string {
	switch v := value.(type) {
	case string:
		return "a string"
	case int64:
		return "a number"
	case bool:
		return "true or false"
	case []string:
		return "a list of strings"
	case Other:
		return string(v)
	}
	return fmt.Sprintf("%T", value)
}
