// Package classes has Go types with the bugs of the twenty thread-safe classes
// of Zhao et al. (Table 3 of the paper on pattern constraint reduction). Each is written from what is known of
// the bug of the Java class: how it comes about is the same, the code is our own and much smaller, so
// figures are for comparing strategies on it and not with the paper's.
//
// The tests have the form of the paper's: a prefix builds an object, two suffixes
// are executed by two goroutines. The oracle is a panic or a failed check.
// Some of the bugs are data races, as they are in the paper; race detection is switched off where executions to the bug are counted.
package classes
