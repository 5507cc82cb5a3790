// Package firstreply asks several servers and takes the first answer.
package firstreply

// Ask returns the answer of the server that is the fastest.
func Ask(question string, servers ...func(string) string) string {
	replies := make(chan string)
	for _, ask := range servers {
		go func() { replies <- ask(question) }()
	}
	return <-replies
}
