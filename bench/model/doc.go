// Package model holds synchronisation that Go does not have and that the
// programs of Lei & Carver use: counting semaphores and monitors with the two
// signalling disciplines of section 2.4. Under heddle an operation on one is a
// single event of an object of its own (rt/hook, model.go); plainly they are
// ordinary semaphores and monitors.
package model
