package std

// Package runtime/debug: Stack prints goroutines under test as hook.Stack does.
var debugPatch = &pkg{
	files: map[string]file{"stack.go": {hook: true, edits: []edit{
		replace("		n := runtime.Stack(buf, false)\n", "		n := _hs.Stack(buf, false)\n"),
	}}},
}
