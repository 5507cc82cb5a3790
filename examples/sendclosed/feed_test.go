// heddle finds: misuse
package sendclosed

import "testing"

func TestPublish(t *testing.T) {
	f := New(4)
	go f.Close()
	published := 0
	for _, m := range []string{"over", "under"} {
		if f.Publish(m) {
			published++
		}
	}
	read := 0
	for range f.Messages() {
		read++
	}
	if read != published {
		t.Errorf("published %d, read %d", published, read)
	}
}
