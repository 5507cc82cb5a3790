package std

// Package runtime: one added file, which is heddle's only contact with the runtime's internals.
// The function behind time.Sleep gets a new name, because package time takes the old one. The keys
// of the hash function behind maps and hash/maphash are the same in every process, so that
// sharding by hash is the same in every process. The choices that the main goroutine meets during
// package initialisation are fixed too: the order of maps, the cases of selects.
var runtimePatch = &pkg{
	added: embedded("runtime.go.txt"),
	files: map[string]file{
		"extern.go": {edits: []edit{
			replace("	return defaultGOROOT\n", "	return heddleGOROOT()\n"),
		}},
		"time.go": {edits: []edit{
			replace("//go:linkname timeSleep time.Sleep\n",
				"//go:linkname timeSleep time.heddleNativeSleep\n"),
		}},
		"rand.go": {edits: []edit{
			replace("	globalRand.state.Init(*seed)\n	clear(seed[:])\n", "	heddleSeed(seed); globalRand.state.Init(*seed)\n	clear(seed[:])\n"),
			replace("func maps_rand() uint64 {\n", "func maps_rand() uint64 { if heddleInit && heddleMain(getg().m) { return heddleFixed }\n"),
		}},
		"select.go": {edits: []edit{
			replace("cheaprandn(uint32(norder + 1))", "heddleCase(uint32(norder + 1))"),
		}},
		"alg.go": {edits: until("go1.26",
			replace("		hashkey[i] = uintptr(bootstrapRand())\n",
				"		hashkey[i] = uintptr(0x9e3779b97f4a7c15 * uint64(2*i+1))\n"),
			replace("		key[i] = bootstrapRand()\n",
				"		key[i] = 0x9e3779b97f4a7c15 * uint64(2*i+1)\n"),
		)},
	},
}

// Package internal/runtime/maps has the keys of the hash function since Go 1.27.
var mapsPatch = &pkg{
	first: "go1.27",
	files: map[string]file{
		"runtime_alg.go": {edits: since("go1.27",
			replace("		hashkey[i] = uintptr(bootstrapRand())\n",
				"		hashkey[i] = uintptr(0x9e3779b97f4a7c15 * uint64(2*i+1))\n"),
			replace("		key[i] = bootstrapRand()\n",
				"		key[i] = 0x9e3779b97f4a7c15 * uint64(2*i+1)\n"),
		)},
	},
}
