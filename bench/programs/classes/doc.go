// Package classes has Go types with the bugs of the twenty thread-safe classes of Zhao et al.
// (Table 3 of the paper on pattern constraint reduction). Each type was written from the
// description of the bug in the Java class: the cause is the same, the code is new and much
// smaller. So its figures compare strategies with each other and not with the paper's.
//
// The tests have the form of the paper's: a prefix builds an object, and two goroutines execute
// two suffixes. The oracle is a panic or a failed check. As in the paper, some of the bugs are
// data races; race detection is off where executions to the bug are counted.
package classes
