// Package thumbs makes thumbnails in parallel.
package thumbs

import "sync"

// All returns the thumbnails of images, in any order.
func All(images []string, scale func(string) string) (out []string) {
	var wg sync.WaitGroup
	out = make([]string, len(images))
	for k, i := range images {
		wg.Go(func() {
			out[k] = scale(i)
		})
	}
	wg.Wait()
	return out
}
