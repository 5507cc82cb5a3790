// Package pecan has programs like those in the rows of Table 1 of Huang & Zhang (PECAN, ISSTA
// 2011), and those of its figures 6 and 7, written from their descriptions in the literature: seven
// of the IBM ConTest benchmark (Eytani, Ur: "Compiling a benchmark of documented multi-threaded
// bugs", 2004; Farchi, Nir, Ur: "Concurrent bug patterns and how to test them", 2003) and five
// collections of the JDK 1.4.2 with their known bugs, closed by drivers in the way of CalFuzzer's;
// three kernels of the Java Grande Forum; and small programs that do what Cache4j, SPECjbb, hedc
// and weblech do.
//
// In the non-preemptive order nothing goes wrong. Some other orders panic where the original
// throws.
package pecan
