package mutate

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"heddle/rt/counters"
	"heddle/rt/decoded"
)

type tree struct {
	Name string
	Size uint16
	Tags map[string]int
	Kids []tree
	Best *int32
	_    chan int // that is left alone
}

// call returns a call that decodes a tree from text, and the trees of inputs.
func call(format, text string) (c decoded.Call, of func(input []byte) (tree, error)) {
	c = decoded.Call{Format: format, Text: []byte(text), Known: true,
		Types: []reflect.Type{reflect.TypeFor[tree]()}}
	c.Encode = func(values []any) ([]byte, error) { return json.Marshal(values[0]) }
	c.Decode = func(text []byte, values []any) error { return json.Unmarshal(text, values[0]) }
	if format == "gob" {
		c.Encode = func(values []any) ([]byte, error) {
			var b bytes.Buffer
			err := gob.NewEncoder(&b).Encode(values[0])
			return b.Bytes(), err
		}
		c.Decode = func(text []byte, values []any) error {
			return gob.NewDecoder(bytes.NewReader(text)).Decode(values[0])
		}
	}
	return c, func(input []byte) (x tree, err error) { err = c.Decode(input, []any{&x}); return x, err }
}

// Most inputs can be decoded, and every part of the value changes in some; all depends on the seed.
func TestTyped(t *testing.T) {
	for _, format := range []string{"json", "gob"} {
		m, again := New(1, nil, ""), New(1, nil, "")
		c, of := call(format, "")
		seen, good := map[string]bool{}, 0
		const n = 4000
		for range n {
			in, ok := m.Typed([]any{7, c.Text}, []decoded.Call{c})
			twin, _ := again.Typed([]any{7, c.Text}, []decoded.Call{c})
			if fmt.Sprint(in) != fmt.Sprint(twin) {
				t.Fatalf("%v and %v", in, twin)
			}
			if !ok {
				continue // it was made before
			}
			x, err := of(in[1].([]byte))
			if err != nil {
				continue
			}
			good++
			seen[fmt.Sprint(x.Name != "", x.Size > 0, len(x.Tags), len(x.Kids) > 0, x.Best != nil)] = true
			if c.Text = in[1].([]byte); good%8 == 0 {
				c.Text = nil
			}
		}
		if good < n/2 || len(seen) < 24 {
			t.Errorf("%s: %d of %d can be decoded, of %d kinds", format, good, n, len(seen))
		}
	}
}

// One side of a comparison is put into what was decoded, wherever it stands in the input.
func TestMatchTyped(t *testing.T) {
	const text = `{"Name":"a","Size":3,"Tags":{"k":9},"Kids":[{"Name":"b"}]}`
	for _, x := range []struct {
		pair counters.Pair
		is   func(x tree) bool
	}{
		{counters.Pair{Text: true, S: "a", T: "root"}, func(x tree) bool { return x.Name == "root" }},
		{counters.Pair{Text: true, S: "leaf", T: "b"}, func(x tree) bool { return x.Kids[0].Name == "leaf" }},
		{counters.Pair{Text: true, S: "k", T: "key"}, func(x tree) bool { return x.Tags["key"] == 9 }},
		{counters.Pair{A: 500, B: 3, Size: 2, Const: true}, func(x tree) bool { return x.Size == 500 }},
		{counters.Pair{A: 70, B: 9, Size: 8, Const: true}, func(x tree) bool { return x.Tags["k"] == 71 }},
		{counters.Pair{A: 3, B: 1, Size: 8, Const: true}, func(x tree) bool { return len(x.Kids) == 3 }},
	} {
		c, of := call("json", text)
		m, found := New(1, nil, ""), false
		inputs := m.MatchTyped([]any{"<" + text + ">"}, []decoded.Call{c}, []counters.Pair{x.pair}, 200)
		for _, in := range inputs {
			b := in[0].(string)
			if b[0] != '<' || b[len(b)-1] != '>' {
				t.Fatalf("%q: what is around it has changed", b)
			}
			v, err := of([]byte(b[1 : len(b)-1]))
			found = found || err == nil && len(v.Kids) > 0 && x.is(v)
		}
		if !found {
			t.Errorf("%+v: not found", x.pair)
		}
	}
}

// What is coded stays coded, and a length before it follows.
func TestReplaced(t *testing.T) {
	for _, x := range []struct{ in, was, now, want string }{
		{"x abc", "abc", "defg", "x defg"},
		{"x YWJj", "abc", "defgh", "x ZGVmZ2g="},
		{"x 616263.", "abc", "de", "x 6465."},
		{"\x00\x03abc", "abc", "de", "\x00\x02de"},
		{"3:abc,", "abc", "defg", "4:defg,"},
		{"x", "", "abc", "xabc"},
	} {
		found := false
		for seed := range uint64(16) {
			c := decoded.Call{Text: []byte(x.was), Known: true}
			b, ok := New(seed, nil, "").replaced([]byte(x.in), &c, []byte(x.now))
			found = found || ok && string(b) == x.want
		}
		if !found {
			t.Errorf("%q with %q for %q: no %q", x.in, x.now, x.was, x.want)
		}
	}
}
