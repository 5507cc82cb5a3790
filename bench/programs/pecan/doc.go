// Package pecan has programs like those in the first twelve rows of Table 1 of Huang & Zhang
// (PECAN, ISSTA 2011), written from their descriptions in the literature: seven of the IBM ConTest
// benchmark (Eytani, Ur: "Compiling a benchmark of documented multi-threaded bugs", 2004; Farchi,
// Nir, Ur: "Concurrent bug patterns and how to test them", 2003) and five collections of the JDK
// 1.4.2 with their known bugs, closed by drivers in the way of CalFuzzer's.
//
// In the non-preemptive order nothing goes wrong. Some other orders panic where the original
// throws.
package pecan
