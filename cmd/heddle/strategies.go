package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"heddle/explore"
)

// helpStrategies prints the strategies with their options, as they are registered.
func helpStrategies(w io.Writer) {
	fmt.Fprint(w, "heddle test -strategy NAME,OPTION=VALUE,...\n")
	for _, u := range explore.Units() {
		fmt.Fprintf(w, "\n%-9s %s\n", u.Name, does(u))
		if u.Paper != "" {
			fmt.Fprintf(w, "          %s\n", u.Paper)
		}
		for _, o := range u.Options {
			fmt.Fprintf(w, "          %-16s %s\n", optionForm(&o), optionHelp(&o))
		}
	}
}

// does says what a strategy does, with how it is asked for if not by -strategy.
func does(u *explore.Unit) string {
	if u.Command != "" {
		return u.Does + " (" + u.Command + ")"
	}
	return u.Does
}

func optionForm(o *explore.Option) string {
	if o.Switch {
		return o.Name
	}
	return o.Name + "=" + cmp.Or(o.Default, "...")
}

func optionHelp(o *explore.Option) string {
	if o.Many || o.Place {
		return o.Help + "; may come several times"
	}
	return o.Help
}

// strategyTable is the table of strategies in docs/guide/strategies.md.
func strategyTable() string {
	var b strings.Builder
	b.WriteString("| strategy | what it does | covers | options |\n| --- | --- | --- | --- |\n")
	for _, u := range explore.Units() {
		var options []string
		for i := range u.Options {
			options = append(options, "`"+optionForm(&u.Options[i])+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", u.Name, does(u), u.Covers, strings.Join(options, ", "))
	}
	return b.String()
}
