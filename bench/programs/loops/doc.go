// Package loops has programs that wait or retry in loops: spin locks, polls, queues without locks.
// An iteration that fails and changes nothing is no event of an execution: one that is made
// without it shows the same. So the programs have few executions, which are counted by hand. Each
// has a twin that looks like it and is not, or that has a bug.
package loops
