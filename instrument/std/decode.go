package std

// Packages that decode texts tell what they decode to, where that is asked for: see hook.Decoding.

// undecoded is what is lost where these edits do not fit.
const undecoded = "inputs of fuzz targets are not made of the types that they are decoded to"

// decodes is an edit of a function that decodes: it begins with a call of the file that is added.
func decodes(header, call string) edit {
	return optional(undecoded, begin(header, "if _hs.Decodes() { "+call+" }"))
}

// Package json is of two makes; a decoder of the second one does not tell what it reads from.
var jsonPatch = &pkg{added: embedded("json.go.txt"), files: map[string]file{
	"decode.go": {hook: true, edits: []edit{
		decodes("func Unmarshal(data []byte, v any) error {", "heddleDecode(nil, data, nil, v)"),
	}},
	"stream.go": {hook: true, edits: []edit{
		decodes("func (dec *Decoder) Decode(v any) error {",
			"heddleDecode(dec, dec.buf[dec.scanp:], dec.r, v)"),
	}},
	"v2_decode.go": {hook: true, edits: []edit{
		decodes("func Unmarshal(data []byte, v any) error {", "heddleDecode(nil, data, nil, v)"),
	}},
	"v2_stream.go": {hook: true, edits: []edit{
		decodes("func (dec *Decoder) Decode(v any) error {", "heddleDecode(dec, nil, nil, v)"),
	}},
}}

var gobPatch = &pkg{added: embedded("gob.go.txt"), files: map[string]file{
	"decoder.go": {hook: true, edits: []edit{
		decodes("func (dec *Decoder) Decode(e any) error {", "heddleDecode(dec, dec.r, e)"),
	}},
}}

var xmlPatch = &pkg{added: embedded("xml.go.txt"), files: map[string]file{
	"read.go": {hook: true, edits: []edit{
		decodes("func (d *Decoder) Decode(v any) error {", "heddleDecode(d, d.r, v)"),
	}},
}}

var asn1Patch = &pkg{added: embedded("asn1.go.txt"), files: map[string]file{
	"asn1.go": {hook: true, edits: []edit{
		decodes("func UnmarshalWithParams(b []byte, val any, params string) (rest []byte, err error) {",
			"heddleUnmarshal(b, val, params)"),
	}},
}}

var binaryPatch = &pkg{added: embedded("binary.go.txt"), files: map[string]file{
	"binary.go": {hook: true, edits: []edit{
		decodes("func Read(r io.Reader, order ByteOrder, data any) error {",
			"heddleRead(r, nil, order, data)"),
		decodes("func Decode(buf []byte, order ByteOrder, data any) (int, error) {",
			"heddleRead(nil, buf, order, data)"),
	}},
}}
