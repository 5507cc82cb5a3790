package parse

import "testing"

func TestCount(t *testing.T) {
	for _, text := range []string{"", "a b"} {
		t.Run("words of "+text, func(t *testing.T) {
			done := make(chan bool)
			if text == "" {
				Count(text)
				return
			}
			go func() {
				Count(text)
				close(done)
			}()
			Count(text)
			<-done
		})
	}
}
