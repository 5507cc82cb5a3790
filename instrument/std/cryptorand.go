package std

// Packages crypto/rand and crypto/internal/rand: random bytes come from the execution's generator,
// unless the program set a reader for tests (testing/cryptotest).
var cryptoRandPatch = &pkg{files: map[string]file{"rand.go": {hook: true, edits: []edit{
	replace("			drbg.Read(b)\n", "			if !_hs.RandBytes(b) { drbg.Read(b) }\n"),
}}}}

var internalRandPatch = &pkg{files: map[string]file{"rand.go": {hook: true, edits: []edit{
	replace("	drbg.Read(b)\n", "	if !_hs.RandBytes(b) { drbg.Read(b) }\n"),
	replace("	fips140SetTestingReader(r)\n", "	fips140SetTestingReader(r); _hs.OwnRand = r != nil\n"),
}}}}
