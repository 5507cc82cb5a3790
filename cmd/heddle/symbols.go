package main

import (
	"debug/elf"
	"debug/gosym"
	"sync"

	"heddle/rt/wire"
	"heddle/trace"
)

// symbols returns what finds the place of a site in the line table of a test
// binary, for steps of which only the crash file tells. Instrumented sites are
// left as their numbers; where there is no table, places stay empty.
func symbols(binary string) func(trace.Site) wire.Place {
	table := sync.OnceValue(func() *gosym.Table { return lineTable(binary) })
	return func(s trace.Site) wire.Place {
		s = s.Loud()
		pc := uint64(s.PC())
		switch {
		case s == 0:
			return wire.Place{}
		case pc == 0:
			return wire.Place{Site: uint64(s)}
		case table() == nil:
			return wire.Place{}
		}
		file, line, fn := table().PCToLine(pc - 1) // the call, not where it returns to
		if fn == nil {
			return wire.Place{}
		}
		return wire.Place{File: file, Line: line, Func: fn.Name}
	}
}

// lineTable returns the line table of a binary; nil if it has none that is understood.
func lineTable(binary string) *gosym.Table {
	f, err := elf.Open(binary)
	if err != nil {
		return nil
	}
	defer f.Close()
	lines, text := f.Section(".gopclntab"), f.Section(".text")
	if lines == nil || text == nil {
		return nil
	}
	data, err := lines.Data()
	if err != nil {
		return nil
	}
	t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return nil
	}
	return t
}
