package std

// Package runtime/debug: for a goroutine under test Stack prints the same as hook.Stack.
var debugPatch = &pkg{
	files: map[string]file{"stack.go": {hook: true, edits: []edit{
		replace("		n := runtime.Stack(buf, false)\n", "		n := _hs.Stack(buf, false)\n"),
	}}},
}
