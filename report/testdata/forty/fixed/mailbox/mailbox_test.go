package mailbox

import "testing"

func TestFetch(t *testing.T) {
	b := New()
	go b.Put("hello")
	if m := b.Fetch(); m != "hello" {
		t.Errorf("fetched %q", m)
	}
}
