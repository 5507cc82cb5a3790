// Package errgroup reads several pages concurrently.
package errgroup

// FetchAll returns the pages at the addresses, in the same order, or the first error.
func FetchAll(get func(addr string) (string, error), addrs ...string) ([]string, error) {
	var g Group
	var err error
	pages := make([]string, len(addrs))
	for i, addr := range addrs {
		g.Go(func() error {
			pages[i], err = get(addr)
			return err
		})
	}
	if err = g.Wait(); err != nil {
		return nil, err
	}
	return pages, nil
}
