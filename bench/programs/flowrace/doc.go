// Package flowrace has programs in which a data race comes about only behind a branch whose
// condition depends, through some carrier of data, on an order of goroutines: memory of several
// forms, a channel, a sync.Map, an atomic, dispatch, ranges, panics.
package flowrace
