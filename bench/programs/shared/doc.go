// Package shared holds programs over which strategies that solve formulas think
// for long, and that have no bugs: to see what several processes make of them.
package shared
