package main

import (
	"os/exec"
	"strings"
)

// commit returns the measured commit for the head of a table.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "an unknown commit"
	}
	return strings.TrimSpace(string(out))
}
