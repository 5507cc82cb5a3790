//go:build !linux

package browser

func cramped() bool { return false }
