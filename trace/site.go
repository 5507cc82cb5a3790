package trace

// A Site is the place of an operation in the source. It has two forms:
//
//	instrumented site:  bit 63 quiet | bits 59..62 Kind | bits 20..58 package hash | bits 0..19 index
//	program counter:    bits 59..62 KindPC | bit 58 connection | bit 57 file | bits 0..47 return address
//
// An instrumented site names a row of its package's position table, which package instrument
// writes. The package hash is PackageHash of the import path as the go command prints it ("p", "p
// [p.test]" and "p_test [p.test]" differ). Sites are equal in every build that rewrites the same
// text.
type Site uint64

// Kind says how to read the bytes of a value at a Site, for display.
type Kind uint8

const (
	KindOther Kind = iota // structs, arrays: not displayed
	KindInt               // signed integers
	KindUint
	KindFloat
	KindBool
	KindString
	KindPointer      // pointers, channels, maps, functions: nil or not
	KindSlice        // displayed as its length
	KindIface        // nil or not; the text of an error is not asked for
	KindPC      Kind = 15
)

const (
	siteQuiet    = 1 << 63
	siteWithin   = 1 << 58
	siteFile     = 1 << 57
	siteKindBits = 59
	siteIdxBits  = 20
	sitePkgMask  = 1<<39 - 1
)

// NewSite makes an instrumented site. quiet: the package's operations give order but are no
// scheduling points.
func NewSite(pkg uint64, index int, kind Kind, quiet bool) Site {
	if index < 0 || index >= 1<<siteIdxBits {
		panic("trace: more than 1,048,575 sites in one package")
	}
	s := Site(index) | Site(pkg&sitePkgMask)<<siteIdxBits | Site(kind)<<siteKindBits
	if quiet {
		s |= siteQuiet
	}
	return s
}

// PCSite makes a site from the return address of a call.
func PCSite(pc uintptr) Site { return Site(pc)&(1<<48-1) | Site(KindPC)<<siteKindBits }

// PC returns the return address of a PCSite, or 0 for an instrumented site.
func (s Site) PC() uintptr {
	if s.Kind() != KindPC {
		return 0
	}
	return uintptr(s & (1<<48 - 1))
}

// Within returns the site of what a connection or pipe does to its own state when it is used at s,
// a program counter.
func (s Site) Within() Site { return s | siteWithin }

// Connection reports whether s is a site that Within returned.
func (s Site) Connection() bool { return s.Kind() == KindPC && s&siteWithin != 0 }

// OnFile returns the site of an operation on a file at s, a program counter.
func (s Site) OnFile() Site { return s | siteFile }

// File reports whether s is a site that OnFile returned.
func (s Site) File() bool { return s.Kind() == KindPC && s&siteFile != 0 }

// Kind returns how values at s are displayed; KindPC for a program counter.
func (s Site) Kind() Kind { return Kind(s >> siteKindBits & 15) }

// Quiet reports whether operations at s are no scheduling points.
func (s Site) Quiet() bool { return s&siteQuiet != 0 }

// Loud returns s without the mark of quiet.
func (s Site) Loud() Site { return s &^ siteQuiet }

// Plain returns the place alone of an instrumented site, without Kind and without the mark of
// quiet.
func (s Site) Plain() Site { return s & (1<<siteKindBits - 1) }

// Package returns the package hash (39 bits) of an instrumented site.
func (s Site) Package() uint64 { return uint64(s) >> siteIdxBits & sitePkgMask }

// Index returns the row of an instrumented site in its package's position table.
func (s Site) Index() int { return int(s & (1<<siteIdxBits - 1)) }

// PackageHash returns the 39-bit hash of an import path that sites carry (FNV-1a, folded).
func PackageHash(path string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(path); i++ {
		h = (h ^ uint64(path[i])) * 1099511628211
	}
	return (h ^ h>>39) & sitePkgMask
}
