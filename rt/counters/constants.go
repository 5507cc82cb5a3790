package counters

// Constants are what a program may compare its input with: texts and numbers in its source, those
// first that stand in comparisons, and what its structs call their fields.
type Constants struct {
	Compared, Other []string `json:",omitempty"`
	Names           []Name   `json:",omitempty"`
	// Near has, by fuzz target, which of them stand in what its source leads to, by the names of
	// functions, variables and types: places in Compared, Other and Names, one after the other.
	Near map[string][]int `json:",omitempty"`
}

// NearTo returns the constants that the source of a fuzz target leads to, and all others. Where
// that is not known near has all.
func (c *Constants) NearTo(target string) (near, far Constants) {
	at, ok := c.Near[target]
	if !ok {
		return *c, far
	}
	is := map[int]bool{}
	for _, i := range at {
		is[i] = true
	}
	of := func(i int) *Constants {
		if is[i] {
			return &near
		}
		return &far
	}
	for i, s := range c.Compared {
		x := of(i)
		x.Compared = append(x.Compared, s)
	}
	for i, s := range c.Other {
		x := of(len(c.Compared) + i)
		x.Other = append(x.Other, s)
	}
	for i, n := range c.Names {
		x := of(len(c.Compared) + len(c.Other) + i)
		x.Names = append(x.Names, n)
	}
	return near, far
}

// A Name is that of a field, or of a key of JSON. Kind is what it stands for: "text", "number",
// "bool", "list", "object", or "" if that is not known.
type Name struct{ Name, Kind string }
