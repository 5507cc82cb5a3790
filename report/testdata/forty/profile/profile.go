// Package profile loads a profile from two services.
package profile

import "sync"

// Load loads name and mail at the same time.
func Load(name, mail func() (string, error)) (n, m string, err error) {
	var wg sync.WaitGroup
	wg.Go(func() {
		n, err = name()
	})
	wg.Go(func() {
		m, err = mail()
	})
	wg.Wait()
	return n, m, err
}
