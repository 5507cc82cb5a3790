//go:build !linux

package drive

import "time"

var launched = time.Now()

// cpuTime returns what stands for the CPU time of the process here: the time since it began.
func cpuTime() time.Duration { return time.Since(launched) }
