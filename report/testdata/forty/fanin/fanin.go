// Package fanin merges lists into one channel.
package fanin

// Merge returns a channel with the values of all lists, closed after the last one.
func Merge(lists ...[]int) <-chan int {
	out := make(chan int, 8)
	for i, list := range lists {
		go func() {
			for _, v := range list {
				out <- v
			}
			if i == len(lists)-1 {
				close(out)
			}
		}()
	}
	return out
}
