// Package report collects the results of checks.
package report

type Checker struct {
	Verbose bool
	results chan string
	lines   chan string
}

func New(verbose bool) *Checker {
	c := &Checker{Verbose: verbose, results: make(chan string)}
	if verbose {
		c.lines = make(chan string)
	}
	return c
}

// Run runs the checks and returns how many there were.
func (c *Checker) Run(checks ...string) int {
	go func() {
		for _, check := range checks {
			c.lines <- "running " + check
			c.results <- check
		}
		close(c.results)
	}()
	n := 0
	for range c.results {
		n++
	}
	return n
}
