// +build linux darwin

package main

func tagged() int { n++; return n }
