package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// best returns the strategies that did best on a test and, as a sentence, why; no strategy where
// none is better than the others. More findings are better, then fewer executions to the first one.
// Without findings, covering all interleavings is better than covering less, and less time to cover
// is better. It is what one run of each showed.
func best(all []Comparison) (names []string, why string) {
	var ran []Comparison
	for _, c := range all {
		if c.Executions > 0 || c.Findings > 0 {
			ran = append(ran, c)
		}
	}
	switch {
	case len(ran) < 2:
		return nil, ""
	case slices.ContainsFunc(ran, func(c Comparison) bool { return c.Findings > 0 }):
		return bestFinder(ran)
	case slices.ContainsFunc(ran, func(c Comparison) bool { return c.Complete }):
		return bestCoverer(ran)
	}
	most := leading(ran, func(a, b *Comparison) int { return b.Orders - a.Orders })[0]
	return nil, fmt.Sprintf("none found anything or covered everything, so none is better; the most orders of operations, %s, were seen by %s",
		thousands(most.Orders), most.Strategy)
}

// bestFinder is best where there are findings.
func bestFinder(all []Comparison) (names []string, why string) {
	first := leading(all, func(a, b *Comparison) int { return b.Findings - a.Findings })
	found := plural(first[0].Findings, "finding")
	rest := without(all, first)
	switch {
	case len(rest) > 0 && !slices.ContainsFunc(rest, func(c Comparison) bool { return c.Findings > 0 }):
		why = "found " + found + ", the others none"
	case len(rest) > 0:
		why = fmt.Sprintf("found %s, the others %d at most", found,
			leading(rest, func(a, b *Comparison) int { return b.Findings - a.Findings })[0].Findings)
	default:
		why = "all found " + found
	}
	soon := leading(first, func(a, b *Comparison) int { return a.First - b.First })
	slower := without(first, soon)
	if len(slower) == 0 {
		if len(rest) == 0 {
			return nil, why + " after " + plural(soon[0].First, "execution")
		}
		return strategies(first), why
	}
	next := leading(slower, func(a, b *Comparison) int { return a.First - b.First })[0]
	if len(rest) > 0 {
		why = fmt.Sprintf("%d of %d %s", len(first), len(all), why)
	}
	return strategies(soon), fmt.Sprintf("%s; the first after %s, by %s after %s", why,
		plural(soon[0].First, "execution"), next.Strategy, thousands(next.First))
}

// instant is a time below which differences say nothing, in seconds.
const instant = 0.05

// bestCoverer is best where there are no findings and some strategy covered everything.
func bestCoverer(all []Comparison) (names []string, why string) {
	claim := func(c *Comparison) int { // the smaller the more it proves
		switch {
		case !c.Complete:
			return 2
		case c.Why.Covered != "":
			return 1
		}
		return 0
	}
	first := leading(all, func(a, b *Comparison) int { return claim(a) - claim(b) })
	what := "covered all " + cmp.Or(first[0].Why.Covered, "interleavings")
	if rest := without(all, first); len(rest) > 0 {
		what += ", which the others did not"
		if len(rest) == 1 {
			what = strings.TrimSuffix(what, "the others did not") + rest[0].Strategy + " did not"
		}
	}
	faster := func(a, b *Comparison) int {
		return cmp.Or(cmp.Compare(max(a.Elapsed, instant), max(b.Elapsed, instant)), a.Covering-b.Covering)
	}
	soon := leading(first, faster)
	slower := without(first, soon)
	if len(slower) == 0 {
		if len(first) == len(all) {
			return nil, "all " + what + " by " + plural(soon[0].Covering, "execution")
		}
		return strategies(first), what
	}
	next := leading(slower, faster)[0]
	took := func(c *Comparison) string {
		return fmt.Sprintf("%s in %s", plural(c.Covering, "execution"), seconds(c.Elapsed))
	}
	return strategies(soon),
		fmt.Sprintf("%s; by %s, %s by %s", what, took(&soon[0]), next.Strategy, took(&next))
}

// leading returns those before which none comes.
func leading(all []Comparison, order func(a, b *Comparison) int) (first []Comparison) {
	for i := range all {
		if !slices.ContainsFunc(all, func(c Comparison) bool { return order(&c, &all[i]) < 0 }) {
			first = append(first, all[i])
		}
	}
	return first
}

// without returns all but some, which are told apart by their names.
func without(all, some []Comparison) (rest []Comparison) {
	names := strategies(some)
	for _, c := range all {
		if !slices.Contains(names, c.Strategy) {
			rest = append(rest, c)
		}
	}
	return rest
}

func strategies(all []Comparison) (names []string) {
	for _, c := range all {
		names = append(names, c.Strategy)
	}
	return names
}
