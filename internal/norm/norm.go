// Package norm brings texts to the form in which they are compared:
//
//	norm.Message("sum is 90 at 0xc00012")  // "sum is # at #"
//	norm.Name("Data race")                 // "data-race"
package norm

import (
	"regexp"
	"strings"
)

var numbers = regexp.MustCompile(`\b0x[0-9a-fA-F]+|[0-9]+`)

// Message returns a message without its numbers: lines, addresses and values differ from one
// execution to the next, and from one edit to the next.
func Message(s string) string {
	return strings.Join(strings.Fields(numbers.ReplaceAllString(s, "#")), " ")
}

// Name returns a name as one word in small letters.
func Name(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "-")
}
