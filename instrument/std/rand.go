package std

import "strings"

// Packages math/rand and math/rand/v2: the top-level functions draw from the execution's
// generator, and a draw from up to four values is a choice to explore. Generators that the program
// seeds are deterministic anyway. added/rand.go.txt seeds the top-level generators again for each
// execution.

// Package hash/maphash takes its seeds from the same generator.
var maphashPatch = &pkg{files: map[string]file{
	"maphash_runtime.go": {hook: true,
		edits: until("go1.26", replace("	return runtime_rand()\n", "	return _hs.Uint64()\n"))},
	"maphash.go": {hook: true,
		edits: since("go1.27", replace("	return runtime_rand()\n", "	return _hs.Uint64()\n"))},
}}

// Package uuid: each execution has its own last time of NewV7.
var uuidPatch = &pkg{first: "go1.27", files: map[string]file{"uuid.go": moves("func NewV7() UUID")}}

var randPatch = &pkg{
	added: embedded("rand.go.txt"),
	files: map[string]file{"rand.go": {hook: true,
		edits: append(drawEdits([]string{"Intn int", "Int31n int32", "Int63n int64"}, " && heddleUnseeded()"),
			replace("	randseednop.IncNonDefault()\n",
				"	randseednop.IncNonDefault(); heddleSeed(seed)\n"),
			replace("		randautoseed.IncNonDefault()\n", "		randautoseed.IncNonDefault(); heddleSeeds.base, heddleSeeds.fixed = 1, true\n"),
			guard("func globalRand() *Rand {", "if _hs.Here() { return heddleGlobal() }"),
			replace("	return int64(runtime_rand() & rngMask)\n",
				"	return int64(_hs.Uint64() & rngMask)\n"),
			replace("	return runtime_rand()\n", "	return _hs.Uint64()\n"),
		)}},
}

var rand2Patch = &pkg{
	files: map[string]file{"rand.go": {hook: true,
		edits: append(drawEdits([]string{"Int64N int64", "Int32N int32", "IntN int", "UintN uint",
			"Uint32N uint32", "Uint64N uint64"}, ""),
			guard("func N[Int intType](n Int) Int {", "if n > 1 && n <= 4 && _hs.Here() { return Int(_hs.Draw(int(n), _hs.CallerPC())) }"),
			replace("	return runtime_rand()\n", "	return _hs.Uint64()\n"),
		)}},
}

// drawEdits makes top-level functions, given as "Name type", ask for a choice if there are few
// values.
func drawEdits(funcs []string, cond string) []edit {
	var es []edit
	for _, f := range funcs {
		name, typ, _ := strings.Cut(f, " ")
		r := strings.NewReplacer("NAME", name, "TYPE", typ, "COND", cond)
		es = append(es, guard(r.Replace("func NAME(n TYPE) TYPE {"),
			r.Replace("if n > 1 && n <= 4 && _hs.Here()COND { return TYPE(_hs.Draw(int(n), _hs.CallerPC())) }")))
	}
	return es
}
