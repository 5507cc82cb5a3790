// Package profile loads a profile from two services.
package profile

import (
	"errors"
	"sync"
)

// Load loads name and mail at the same time.
func Load(name, mail func() (string, error)) (n, m string, err error) {
	var wg sync.WaitGroup
	var err2 error
	wg.Go(func() {
		n, err = name()
	})
	wg.Go(func() {
		m, err2 = mail()
	})
	wg.Wait()
	return n, m, errors.Join(err, err2)
}
