package std

// Package iter: Pull runs an iterator on a coroutine. For the scheduler it is part of the
// goroutine that calls it. The side that switches stores whether it is under control (pull.hd),
// and the other side takes that over. A coroutine that is never stopped ends with the execution
// (pull.kill).
var iterPatch = &pkg{files: map[string]file{
	"iter.go": {hook: true, edits: []edit{
		replaceAll(2, "		racer      int\n", "		racer      int; hd, kill bool; in *_hs.Pull\n"),
		replaceAll(2, "	c := newcoro(func(c *coro) {\n", "	c := newcoro(func(c *coro) { defer func() { pull.in.Ended() }(); _hs.Switched(pull.hd)\n"),
		replaceAll(6, "	coroswitch(c)\n",
			"	pull.hd = _hs.Here(); coroswitch(c); _hs.Switched(pull.hd)\n"),
		replaceAll(2, "			return !pull.done\n",
			"			if pull.kill { runtime.Goexit() }; return !pull.done\n"),
		replace("	next = func() (v1 V, ok1 bool) {\n",
			"	"+endPull+"next = func() (v1 V, ok1 bool) {\n"),
		replace("	next = func() (k1 K, v1 V, ok1 bool) {\n",
			"	"+endPull+"next = func() (k1 K, v1 V, ok1 bool) {\n"),
		replaceAll(4, "		race.Write(unsafe.Pointer(&pull.racer)) // detect races\n",
			"		pull.in.Called(_hs.CallerPC())\n"),
		// The iterator has ended: the switch back follows at once.
		replaceAll(2, "			race.Release(unsafe.Pointer(&pull.racer))\n		}()\n",
			"			race.Release(unsafe.Pointer(&pull.racer)); pull.hd = _hs.Here()\n		}()\n"),
	}},
}}

const endPull = "pull.in = _hs.NewPull(_hs.CallerPC(), func() { pull.done, pull.kill, pull.hd = true, true, true; coroswitch(c) }); "
