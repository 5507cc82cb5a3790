// Package lines reads records into one buffer and hands them to a worker.
package lines

// Read splits text into records of n bytes and sends them to out.
func Read(text string, n int, out chan<- []byte) {
	defer close(out)
	for len(text) > 0 {
		buf := make([]byte, n)
		k := copy(buf, text)
		text = text[k:]
		out <- buf[:k]
	}
}

// Collect reads all records.
func Collect(in <-chan []byte) (all []string) {
	for b := range in {
		all = append(all, string(b))
	}
	return all
}
