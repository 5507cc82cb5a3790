package std

// Packages encoding/base64 and hash/fnv: they put numbers into bytes here. Package
// internal/byteorder lies below package runtime, where labels are lost.
var base64Patch = &pkg{
	added: embedded("base64.go.txt"),
	files: map[string]file{"base64.go": {edits: []edit{
		replace("	\"internal/byteorder\"\n", "\n"),
		replace("byteorder.BEPutUint64(dst[n:], dn)", "heddlePutUint64(dst[n:], dn)"),
		replace("byteorder.BEPutUint32(dst[n:], dn)", "heddlePutUint32(dst[n:], dn)"),
	}}},
}

var fnvPatch = &pkg{
	added: embedded("fnv.go.txt"),
	files: map[string]file{"fnv.go": {edits: []edit{
		replaceAll(2, "	return byteorder.BEAppendUint32(in, v)\n",
			"	return heddleAppendUint32(in, v)\n"),
		replaceAll(2, "	return byteorder.BEAppendUint64(in, v)\n",
			"	return heddleAppendUint64(in, v)\n"),
		replaceAll(2, "	ret := byteorder.BEAppendUint64(in, s[0])\n",
			"	ret := heddleAppendUint64(in, s[0])\n"),
		replaceAll(2, "	return byteorder.BEAppendUint64(ret, s[1])\n",
			"	return heddleAppendUint64(ret, s[1])\n"),
	}}},
}
