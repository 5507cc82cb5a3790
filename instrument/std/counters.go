package std

// Package internal/fuzz: what code calls that is compiled with -d=libfuzzer, and its counters, go
// to heddlert/counters. Plain Go has empty functions here.
var fuzzPatch = &pkg{
	added: embedded("fuzz.go.txt"),
	files: map[string]file{"trace.go": {edits: []edit{
		replace("import _ \"unsafe\" // for go:linkname\n", "import \"heddlert/counters\"; import _ \"unsafe\" // for go:linkname\n"),
		replace("func libfuzzerTraceCmp1(arg0, arg1 uint8, fakePC uint)  {}", "func libfuzzerTraceCmp1(arg0, arg1 uint8, fakePC uint)  { counters.Number(uint64(arg0), uint64(arg1), 1, false, fakePC) }"),
		replace("func libfuzzerTraceCmp2(arg0, arg1 uint16, fakePC uint) {}", "func libfuzzerTraceCmp2(arg0, arg1 uint16, fakePC uint) { counters.Number(uint64(arg0), uint64(arg1), 2, false, fakePC) }"),
		replace("func libfuzzerTraceCmp4(arg0, arg1 uint32, fakePC uint) {}", "func libfuzzerTraceCmp4(arg0, arg1 uint32, fakePC uint) { counters.Number(uint64(arg0), uint64(arg1), 4, false, fakePC) }"),
		replace("func libfuzzerTraceCmp8(arg0, arg1 uint64, fakePC uint) {}", "func libfuzzerTraceCmp8(arg0, arg1 uint64, fakePC uint) { counters.Number(arg0, arg1, 8, false, fakePC) }"),
		replace("func libfuzzerTraceConstCmp1(arg0, arg1 uint8, fakePC uint)  {}", "func libfuzzerTraceConstCmp1(arg0, arg1 uint8, fakePC uint)  { counters.Number(uint64(arg0), uint64(arg1), 1, true, fakePC) }"),
		replace("func libfuzzerTraceConstCmp2(arg0, arg1 uint16, fakePC uint) {}", "func libfuzzerTraceConstCmp2(arg0, arg1 uint16, fakePC uint) { counters.Number(uint64(arg0), uint64(arg1), 2, true, fakePC) }"),
		replace("func libfuzzerTraceConstCmp4(arg0, arg1 uint32, fakePC uint) {}", "func libfuzzerTraceConstCmp4(arg0, arg1 uint32, fakePC uint) { counters.Number(uint64(arg0), uint64(arg1), 4, true, fakePC) }"),
		replace("func libfuzzerTraceConstCmp8(arg0, arg1 uint64, fakePC uint) {}", "func libfuzzerTraceConstCmp8(arg0, arg1 uint64, fakePC uint) { counters.Number(arg0, arg1, 8, true, fakePC) }"),
		replace("func libfuzzerHookStrCmp(arg0, arg1 string, fakePC uint)    {}", "func libfuzzerHookStrCmp(arg0, arg1 string, fakePC uint)    { counters.Text(arg0, arg1, false, fakePC) }"),
		replace("func libfuzzerHookEqualFold(arg0, arg1 string, fakePC uint) {}", "func libfuzzerHookEqualFold(arg0, arg1 string, fakePC uint) { counters.Text(arg0, arg1, true, fakePC) }"),
	}}},
}
