package oncedeadlock

import "testing"

func TestGet(t *testing.T) {
	var s Settings
	file := map[string]string{"color": "red"}
	color := make(chan string)
	go func() { color <- s.Get("color") }()
	s.Attach(file)
	if c := <-color; c != "red" && c != "blue" {
		t.Errorf("the color is %q", c)
	}
	if p := s.Get("prefix"); p != "settings" {
		t.Errorf("the prefix is %q", p)
	}
}
