package std

// Packages image/jpeg and image/png: encoders announce at their start which pixels they read.
var imagePatch = &pkg{added: embedded("image.go.txt")}

var jpegPatch = &pkg{files: map[string]file{"writer.go": {edits: []edit{
	begin("func Encode(w io.Writer, m image.Image, o *Options) error {", "image.HeddleReads(m)"),
}}}}

var pngPatch = &pkg{files: map[string]file{"writer.go": {edits: []edit{
	begin("func (enc *Encoder) Encode(w io.Writer, m image.Image) error {", "image.HeddleReads(m)"),
	begin("func opaque(m image.Image) bool {", "if o, ok := image.HeddleOpaque(m); ok { return o }"),
}}}}

// Package errors: As announces the write to its target.
var errorsPatch = &pkg{
	added: embedded("errors.go.txt"),
	files: map[string]file{"wrap.go": {edits: []edit{
		replace("			targetVal.Elem().Set(reflectlite.ValueOf(err))\n", "			heddleTarget(target, targetType.Size()); targetVal.Elem().Set(reflectlite.ValueOf(err))\n"),
	}}},
}
