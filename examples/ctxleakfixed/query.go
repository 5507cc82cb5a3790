// Package ctxleak asks several replicas the same question and takes the first answer.
package ctxleak

import "context"

// A Replica answers a question.
type Replica func(question string) string

// Ask returns the first answer. It stops waiting when ctx ends.
func Ask(ctx context.Context, question string, replicas ...Replica) (string, error) {
	answers := make(chan string, len(replicas))
	for _, r := range replicas {
		go func() { answers <- r(question) }()
	}
	select {
	case a := <-answers:
		return a, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
