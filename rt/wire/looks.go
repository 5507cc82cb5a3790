package wire

// Looks is what the program under test has looked at outside of its process, since the last Record
// with Looks. What is noted can be looked at again, to learn whether it has changed.
type Looks struct {
	// environment variables, after "e" ("e*": all of them), and files and folders that were only
	// read, after "f"; their names are absolute, or relative to the folder of the package
	At []string `json:",omitempty"`
	// Beyond is the first look at something that is not noted, "" if there was none.
	Beyond string `json:",omitempty"`
}
