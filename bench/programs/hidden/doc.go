// Package hidden has small programs whose bug does not show in the execution that comes first, and
// is hard to predict from it: the order that hides the bug is made by a message, a semaphore, a
// Once, or the code with the bug is not reached. Each has a twin in which it is mended: f is false
// for the bug, and true for the twin.
//
// They were written before what heddle predict says of them was looked at.
package hidden
