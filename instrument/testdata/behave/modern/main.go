// Programs that are run plain and rewritten, and must print the same.
package main

import (
	"fmt"
	"os"
	"sort"
)

var programs = map[string]func(){}

func main() {
	var names []string
	for n := range programs {
		if len(os.Args) < 2 || os.Args[1] == n {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Println("==", n)
		try(programs[n])
	}
}

// try prints the panic of f.
func try(f func()) {
	defer func() {
		if x := recover(); x != nil {
			fmt.Println("panic:", x)
		}
	}()
	f()
}
