//go:build !linux

package limit

import "time"

var launched = time.Now()

// ProcessorTime returns what stands for the processor time of the process here: the time since it
// began.
func ProcessorTime() time.Duration { return time.Since(launched) }
