package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// What the system says of a process and its threads.

// cpuTime returns the processor time that a process has used; 0 where the system does not say.
func cpuTime(pid int) time.Duration {
	_, used := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	return used
}

// readStat returns the state of a process or thread, as its letter, and the
// processor time it has used; zeros where the system does not say.
func readStat(file string) (state byte, used time.Duration) {
	stat, err := os.ReadFile(file)
	if err != nil {
		return 0, 0
	}
	// The name, in brackets, may hold anything; utime and stime are the 12th and 13th fields after
	// it, in hundredths of a second.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, 0
	}
	var ticks int64
	for _, f := range fields[11:13] {
		n, _ := strconv.ParseInt(string(f), 10, 64)
		ticks += n
	}
	return fields[0][0], time.Duration(ticks) * 10 * time.Millisecond
}

// cpuWait returns how long the threads of a process were ready to run while the
// processors were busy with others; 0 where the system does not say. On a
// loaded machine a loop is mostly that.
func cpuWait(pid int) time.Duration {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var sum int64
	for _, t := range threads {
		stat, _ := os.ReadFile(t) // the thread may be gone
		if fields := bytes.Fields(stat); len(fields) > 1 {
			n, _ := strconv.ParseInt(string(fields[1]), 10, 64) // nanoseconds
			sum += n
		}
	}
	return time.Duration(sum)
}

// quit has a process die with a dump of its goroutines. The dump has the stack
// of one that runs only if its thread gets the signal, so that is sent to the
// thread that is busiest; to any where none is, or the system does not say.
func quit(p *os.Process) {
	if tid := busiest(p.Pid); tid == 0 || quitThread(p.Pid, tid) != nil {
		p.Signal(syscall.SIGQUIT)
	}
}

// busiest returns the thread of a process that uses the processor now, or waits
// for one, and has used most: 0 if there is none.
func busiest(pid int) (tid int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	most := time.Duration(-1)
	for _, t := range threads {
		if state, used := readStat(filepath.Join(t, "stat")); state == 'R' && used > most {
			if id, err := strconv.Atoi(filepath.Base(t)); err == nil {
				tid, most = id, used
			}
		}
	}
	return tid
}
