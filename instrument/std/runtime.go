package std

// Package runtime: one added file, heddle's only contact with the runtime's
// internals, and a new name for the function behind time.Sleep, whose old name
// package time takes for its own. The keys of the hash function behind maps and
// hash/maphash are the same in every process: what is put into shards by it goes the same way again.
var runtimePatch = &pkg{
	added: embedded("runtime.go.txt"),
	files: map[string]file{
		"time.go": {edits: []edit{
			replace("//go:linkname timeSleep time.Sleep\n", "//go:linkname timeSleep time.heddleNativeSleep\n"),
		}},
		"alg.go": {edits: []edit{
			replace("		hashkey[i] = uintptr(bootstrapRand())\n", "		hashkey[i] = uintptr(0x9e3779b97f4a7c15 * uint64(2*i+1))\n"),
			replace("		key[i] = bootstrapRand()\n", "		key[i] = 0x9e3779b97f4a7c15 * uint64(2*i+1)\n"),
		}},
	},
}
