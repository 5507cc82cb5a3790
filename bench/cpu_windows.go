package main

import "syscall"

// cpuSeconds is the processor time that this process has taken.
func cpuSeconds() float64 {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		panic(err)
	}
	var began, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &began, &ended, &kernel, &user); err != nil {
		panic(err)
	}
	const ticks = 1e7 // of 100 ns
	return (span(kernel) + span(user)) / ticks
}

// span returns how many ticks a Filetime has that is no date.
func span(t syscall.Filetime) float64 {
	return float64(uint64(t.HighDateTime)<<32 | uint64(t.LowDateTime))
}
