package main

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"heddle/clip"
	"heddle/rt/wire"
)

// A clip holds what decided beside the schedule: the flags and arguments of the command that
// recorded it. A replay takes them from there, but for those that its own command line gives.

// settle puts the settings of the command line into a clip, and what the program is made of.
func (o *options) settle(c *wire.Clip, code string) {
	c.Flags, c.Args, c.Env, c.Code = nil, nil, nil, code
	for _, f := range []struct{ name, value string }{{"run", o.run}, {"skip", o.skip}} {
		if strings.Contains(f.value, "/") { // the clip says which test, but not which subtests
			c.Flags = append(c.Flags, "-"+f.name+"="+f.value)
		}
	}
	if tags := o.allTags(); tags != "" {
		c.Flags = append(c.Flags, "-tags="+tags)
	}
	if o.time == "free" {
		c.Flags = append(c.Flags, "-time=free")
	}
	if o.lose > 0 {
		c.Flags = append(c.Flags, "-lose="+strconv.Itoa(o.lose))
	}
	if o.short {
		c.Flags = append(c.Flags, "-short")
	}
	if len(o.symbolic) > 0 && c.Input != nil && !strings.HasPrefix(c.Test, "Fuzz") {
		c.Flags = append(c.Flags, symbolicFlag+strings.Join(o.symbolic, ","))
	}
	if !slices.ContainsFunc(o.args, clip.Refused) {
		c.Args = o.args
	}
	for _, name := range clip.Variables {
		if v := os.Getenv(name); v != "" {
			c.Env = append(c.Env, name+"="+v)
		}
	}
}

// allTags returns the build tags of -tags, or else of GOFLAGS.
func (o *options) allTags() string {
	if o.set["tags"] {
		return o.tags
	}
	for _, f := range strings.Fields(os.Getenv("GOFLAGS")) {
		if v, ok := strings.CutPrefix(strings.TrimPrefix(f, "-"), "-tags="); ok {
			return v
		}
		if v, ok := strings.CutPrefix(f, "-tags="); ok {
			return v
		}
	}
	return o.tags
}

// under returns o with the settings of a clip, where the command line says nothing else.
func (o *options) under(c *wire.Clip) *options {
	with := *o
	for _, f := range c.Flags {
		name, value, _ := strings.Cut(strings.TrimPrefix(f, "-"), "=")
		if o.set[name] {
			continue
		}
		switch name {
		case "run":
			with.run = value
		case "skip":
			with.skip = value
		case "tags":
			with.tags = value
		case "time":
			with.time = value
		case "lose":
			with.lose, _ = strconv.Atoi(value)
		case "symbolic":
			with.symbolic = symbolicOf(value)
		case "short":
			with.short = true
		case "v":
			with.testVerbose = true
		}
	}
	if len(o.args) == 0 {
		with.args = c.Args
	}
	return &with
}

// setEnvironment gives the go command and the program the variables of a clip, until the returned
// function is called.
func setEnvironment(c *wire.Clip) (restore func()) {
	var set []string
	for _, v := range c.Env {
		if name, value, _ := strings.Cut(v, "="); os.Getenv(name) == "" {
			os.Setenv(name, value)
			set = append(set, name)
		}
	}
	return func() {
		for _, name := range set {
			os.Unsetenv(name)
		}
	}
}

// picks returns what of a clip's settings, or of a command line's, decides what a test does.
func picks(c *wire.Clip) (flags []string) {
	for _, f := range c.Flags {
		if f != "-time=free" {
			flags = append(flags, f)
		}
	}
	slices.Sort(flags)
	return append(append(flags, "-args"), c.Args...)
}

// fits reports whether a clip was recorded under settings like those of the command line. A clip
// that does not say so is taken for one that was.
func (o *options) fits(c *wire.Clip) bool {
	if c.Code == "" {
		return true
	}
	now := wire.Clip{Test: c.Test, Input: c.Input}
	o.settle(&now, "")
	return slices.Equal(picks(&now), picks(c))
}

// selects reports whether the command line asks for some subtests, or for what a test does under
// arguments.
func (o *options) selects() bool {
	return strings.Contains(o.run, "/") || strings.Contains(o.skip, "/") || len(o.args) > 0
}

// apart reports whether a clip that was recorded under other settings is to be replayed under its
// own: not where the command line selects something else, nor where it would need another build.
func (o *options) apart(c *wire.Clip) bool {
	var now wire.Clip
	o.settle(&now, "")
	tags := func(c *wire.Clip) string {
		i := slices.IndexFunc(c.Flags, func(f string) bool { return strings.HasPrefix(f, "-tags=") })
		if i < 0 {
			return ""
		}
		return c.Flags[i]
	}
	return !o.selects() && !o.short && tags(&now) == tags(c)
}
