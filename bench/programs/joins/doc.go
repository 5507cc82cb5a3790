// Package joins has programs that wait for goroutines of which each has several histories: those on
// which merging histories at a join is compared with keeping them.
//
// Each comment says what there is to find, and what a search needs that covers every local state:
// executions for what goroutines can observe, not for how the joined goroutines came to their end.
package joins
