package counters

// Constants are what a program may compare its input with: texts and numbers in its source, those
// first that stand in comparisons, and what its structs call their fields.
type Constants struct {
	Compared, Other []string `json:",omitempty"`
	Names           []Name   `json:",omitempty"`
}

// A Name is that of a field, or of a key of JSON. Kind is what it stands for: "text", "number",
// "bool", "list", "object", or "" if that is not known.
type Name struct{ Name, Kind string }
