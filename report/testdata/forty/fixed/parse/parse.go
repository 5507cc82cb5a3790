// Package parse counts words of inputs.
package parse

import (
	"strings"
	"sync/atomic"
)

var total atomic.Int64

// Count counts the words of a text and adds them to the total.
func Count(text string) int {
	n := len(strings.Fields(text))
	total.Add(int64(n))
	return n
}
