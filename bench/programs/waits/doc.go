// Package waits has the ways in which Go programs wait in loops: they look, let others go on or
// sleep, and look again. Each has a twin with a bug, whose name ends in Buggy. They were written
// before heddle was asked about any of them.
package waits
