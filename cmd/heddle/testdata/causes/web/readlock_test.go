package web

import (
	"testing"

	"example.com/causes/cache"
)

func TestPages(t *testing.T) {
	c := cache.New("/", "/cart")
	done := make(chan bool)
	go func() { done <- c.Use("/cart") }()
	if !c.Use("/") {
		t.Error("no page")
	}
	<-done
	if keys := c.Keys(); len(keys) != 2 {
		t.Errorf("pages %v", keys)
	}
}
