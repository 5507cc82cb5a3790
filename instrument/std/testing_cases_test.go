package std

import "testing"

var testingTests []struct {
	name string
	run  func(t *testing.T, dir string)
}
