// Package peers has programs that heddle and other model checkers execute side by side (go run
// ./bench -peers): its tests for heddle, and beside them the same programs for Shuttle and Loom
// (Rust), for Lincheck (Java), and for Nidhugg and GenMC (C, in folder c). A ticket lock and a
// queue are in package loops.
package peers
