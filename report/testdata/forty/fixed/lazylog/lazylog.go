// Package lazylog opens its log when the first line is written.
package lazylog

import "sync"

type Log struct {
	once  sync.Once
	lines []string
}

func (l *Log) open() {
	l.lines = make([]string, 0, 8)
	l.lines = append(l.lines, "log opened")
}

// Print writes a line.
func (l *Log) Print(line string) {
	l.once.Do(l.open)
	l.lines = append(l.lines, line)
}
