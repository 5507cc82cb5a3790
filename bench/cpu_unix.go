//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuSeconds returns the processor time of this process.
func cpuSeconds() float64 { return usage(syscall.RUSAGE_SELF) }

// childSeconds returns the processor time of processes that it started and that have ended.
func childSeconds() float64 { return usage(syscall.RUSAGE_CHILDREN) }

func usage(who int) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
