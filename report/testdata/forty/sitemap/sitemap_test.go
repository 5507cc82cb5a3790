package sitemap

import "testing"

func TestWalk(t *testing.T) {
	links := Links{"/": {"/a", "/b"}, "/a": {"/b"}}
	if n := Walk(links, "/"); n != 3 {
		t.Errorf("%d pages", n)
	}
}
