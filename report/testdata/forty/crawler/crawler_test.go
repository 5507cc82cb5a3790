package crawler

import "testing"

func TestCrawl(t *testing.T) {
	var c Crawler
	if n := c.Crawl("/", "/about"); n != 2 {
		t.Errorf("saw %d of 2 pages", n)
	}
}
