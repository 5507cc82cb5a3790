package std

// Package iter: Pull runs an iterator on a goroutine of its own, which is the
// same goroutine under test all the same. Whoever switches says whether it is
// under control (pull.hd), and the other side takes over.
var iterPatch = &pkg{files: map[string]file{
	"iter.go": {hook: true, edits: []edit{
		replaceAll(2, "		racer      int\n", "		racer      int; hd bool\n"),
		replaceAll(2, "	c := newcoro(func(c *coro) {\n", "	c := newcoro(func(c *coro) { _hs.Switched(pull.hd)\n"),
		replaceAll(6, "	coroswitch(c)\n", "	pull.hd = _hs.Here(); coroswitch(c); _hs.Switched(pull.hd)\n"),
		// The iterator has ended: the switch back follows at once.
		replaceAll(2, "			race.Release(unsafe.Pointer(&pull.racer))\n		}()\n",
			"			race.Release(unsafe.Pointer(&pull.racer)); pull.hd = _hs.Here()\n		}()\n"),
	}},
}}
