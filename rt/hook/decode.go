package hook

// Packages of the standard library that decode texts tell here what they decode to, and by which
// functions texts of such values are made.

// A Codec encodes values one after the other, and decodes them: of each it is given a pointer.
type Codec struct {
	Name   string
	Encode func(values []any) ([]byte, error)
	Decode func(text []byte, values []any) error
}

// A Decoding is a call of a decoder: it decodes To from Text and from what From has behind that.
type Decoding struct {
	Codec
	By   any // what decodes one value after the other; nil: no more than one
	Text []byte
	From any // a reader, or nil
	To   any
}

// Decode is told of decodings; nil: they are not asked for.
var Decode func(d Decoding)

// Decodes reports whether decodings are asked for.
func Decodes() bool { return Decode != nil && Here() }
