package std

// Package plugin: Open announces its call.
var pluginPatch = &pkg{files: map[string]file{"plugin.go": {hook: true, edits: []edit{
	replace("	return open(path)\n", "	_hs.OpenPlugin(); return open(path)\n"),
}}}}
