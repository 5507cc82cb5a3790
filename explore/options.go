package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Checks of options, for Option.Check.

// OneOf returns a check that a value is one of values.
func OneOf(values ...string) func(string) error {
	return func(s string) error {
		if !slices.Contains(values, s) {
			return fmt.Errorf("want one of: %s", strings.Join(values, ", "))
		}
		return nil
	}
}

// AtLeast returns a check that a value is a number, at least least.
func AtLeast(least int) func(string) error {
	return func(s string) error {
		if n, err := strconv.Atoi(s); err != nil || n < least {
			return fmt.Errorf("want a number, %d or more", least)
		}
		return nil
	}
}

// IsSwitch checks that a value is true or false.
func IsSwitch(s string) error {
	if _, err := strconv.ParseBool(s); err != nil {
		return fmt.Errorf("want true or false")
	}
	return nil
}

// IsTime checks that a value is a time above 0.
func IsTime(s string) error {
	if d, err := time.ParseDuration(s); err != nil || d <= 0 {
		return fmt.Errorf("want a time above 0, such as 500ms or 3s")
	}
	return nil
}

// IsPlace checks that a value is a line of the source.
func IsPlace(s string) error {
	i := strings.LastIndexByte(s, ':')
	if n, err := strconv.Atoi(s[i+1:]); i < 1 || err != nil || n < 1 {
		return fmt.Errorf("want a line, such as queue.go:12")
	}
	return nil
}

// Int returns the value of an option that is a number; 0 if it has none.
func (v Values) Int(name string) int {
	n, _ := strconv.Atoi(v[name])
	return n
}

// Time returns the value of an option that is a time; 0 if it has none.
func (v Values) Time(name string) time.Duration {
	d, _ := time.ParseDuration(v[name])
	return d
}

// On reports whether a switch is on.
func (v Values) On(name string) bool {
	on, _ := strconv.ParseBool(v[name])
	return on
}

// Numbers returns the numbers of an option that can have several.
func (v Values) Numbers(name string) (ns []uint64) {
	for _, s := range strings.Split(v[name], ",") {
		if n, err := strconv.ParseUint(s, 10, 64); err == nil {
			ns = append(ns, n)
		}
	}
	return ns
}

// SeedWith and SeedRuns are options of every Seeded strategy; the loop that executes reads them.
var (
	SeedWith = Option{Name: "seed-with", Default: "none", Help: "begin with executions of another strategy",
		Check: func(s string) error {
			if u := Lookup(s); s == "none" || u != nil && u.Seeds {
				return nil
			}
			return fmt.Errorf("want one of: none, %s",
				strings.Join(Names(func(u *Unit) bool { return u.Seeds }), ", "))
		}}
	SeedRuns = Option{Name: "seed-runs", Default: "100", Help: "with seed-with: so many of them",
		Check: AtLeast(1)}
)

// Symmetry is an option of strategies that do not tell interchangeable goroutines apart.
var Symmetry = Option{Name: "symmetry", Default: "true", Switch: true, Check: IsSwitch,
	Help: "of orders in which only goroutines that are known to be interchangeable change places, execute one"}
