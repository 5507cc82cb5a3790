// Package model has synchronisation that the programs of Lei & Carver use and that Go lacks:
// counting semaphores and monitors with the two signalling disciplines of section 2.4. Under
// heddle an operation on one is a single event of an object of its own (rt/hook, model.go).
// Without heddle they are ordinary semaphores and monitors.
package model
