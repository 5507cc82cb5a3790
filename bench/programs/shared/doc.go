// Package shared has programs without bugs over which strategies that solve formulas compute for
// long, to measure the speed-up by several processes.
package shared
