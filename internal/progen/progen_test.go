package progen

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"testing"
)

func TestSameSeedSameProgram(t *testing.T) {
	for seed := range uint64(50) {
		if !reflect.DeepEqual(Generate(seed, Default), Generate(seed, Default)) {
			t.Fatalf("seed %d gives two programs", seed)
		}
	}
}

// Every statement is made by some seed, and the programs compile.
func TestSourceCompiles(t *testing.T) {
	size := Default
	size.Spin, size.Slow, size.Loose = true, true, true
	fset := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	made := map[Op]bool{}
	for seed := range uint64(1000) {
		size.Inputs, size.Older, size.Timers = int(seed%3), seed%2 == 0, seed%8 == 3
		size.Updates, size.Maps, size.Polls = seed%4 > 1, seed%4 > 1, seed%8 == 5
		size.Growth, size.Loops, size.Bubble = seed%8 == 6, seed%16 == 1, seed%16 == 9
		p := Generate(seed, size)
		p.Each(func(s *Stmt) { made[s.Op] = true })
		text := Source(p)
		f, err := parser.ParseFile(fset, "p_test.go", text, 0)
		if err == nil {
			_, err = conf.Check("p", fset, []*ast.File{f}, nil)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
	}
	for op := range numOps {
		if !made[op] {
			t.Errorf("no program has a statement of kind %d", op)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	p := Generate(3, Default)
	text := Source(p)
	q := p.Clone()
	q.Each(func(s *Stmt) { s.Op = Yield; s.Body, s.Else, s.Cases = nil, nil, nil })
	q.Body = nil
	if Source(p) != text {
		t.Fatal("changing a clone changed the program")
	}
}

// Shrinking keeps what fails demands and nothing else.
func TestShrink(t *testing.T) {
	has := func(op Op) func(p *Program) bool {
		return func(p *Program) bool {
			found := false
			p.Each(func(s *Stmt) { found = found || s.Op == op })
			return found
		}
	}
	for _, op := range []Op{Send, Unlock, Select, Add} {
		shrunk := 0
		for seed := range uint64(200) {
			p := Generate(seed, Default)
			if !has(op)(p) {
				continue
			}
			shrunk++
			q := Shrink(p, has(op))
			if n := q.Number(); n != 1 || !has(op)(q) {
				t.Fatalf("seed %d: %d statements left, want 1:\n%s", seed, n, Source(q))
			}
		}
		if shrunk == 0 {
			t.Fatalf("no program has a statement of kind %d", op)
		}
	}
}
