package loader

import "testing"

func TestTranslate(t *testing.T) {
	var d Dictionary
	loaded := make(chan struct{})
	go func() {
		d.Load()
		close(loaded)
	}()
	if w := d.Translate("hund"); w != "" && w != "dog" {
		t.Errorf("hund is %q", w)
	}
	<-loaded
}
