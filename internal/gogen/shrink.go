package gogen

import (
	"regexp"
	"slices"
	"strings"
)

// Smaller returns programs made from p by removing one part, the smallest first. They have p's
// number.
func Smaller(p *Program) []*Program {
	var list []*Program
	try := func(change func(*Program) bool) {
		q := clone(p)
		if change(q) {
			list = append(list, q)
		}
	}
	for i := range p.Bodies {
		if i > 0 && len(p.Bodies) > 2 {
			try(func(q *Program) bool { q.Bodies = slices.Delete(q.Bodies, i, i+1); return true })
		}
		if n := len(p.Bodies[i]); n > 1 {
			try(func(q *Program) bool { q.Bodies[i] = q.Bodies[i][n/2:]; return true })
			try(func(q *Program) bool { q.Bodies[i] = q.Bodies[i][:n/2]; return true })
		}
	}
	n := 0
	p.lists(func(*[]*Node) { n++ })
	for at := range n {
		var length int
		p.nth(at, func(l *[]*Node) { length = len(*l) })
		for i := range length {
			try(func(q *Program) bool {
				q.nth(at, func(l *[]*Node) { *l = slices.Delete(*l, i, i+1) })
				return true
			})
			try(func(q *Program) bool { return q.hoist(at, i) })
			try(func(q *Program) bool { return q.unwrap(at, i) })
		}
	}
	if p.Join != "wg" {
		try(func(q *Program) bool { q.Join = "wg"; return true })
	}
	if p.Loud {
		try(func(q *Program) bool { q.Loud = false; return true })
	}
	for i, o := range p.Objects {
		if o.Show != "" {
			try(func(q *Program) bool { q.Objects[i].Show = ""; return true })
		}
	}
	slices.SortStableFunc(list, func(a, b *Program) int { return a.weigh() - b.weigh() })
	return list
}

// weigh returns the size of p: statements first, then text.
func (p *Program) weigh() int {
	n := 50 * len(p.Bodies)
	p.each(func(s *Node) { n += 100 + len(s.Text) })
	for _, o := range p.Uses() {
		n += 20 + len(o.Show)
	}
	if p.Join != "wg" {
		n += 10
	}
	if p.Loud {
		n += 10
	}
	return n
}

func clone(p *Program) *Program {
	q := *p
	q.Objects = nil
	for _, o := range p.Objects {
		c := *o
		q.Objects = append(q.Objects, &c)
	}
	q.Bodies = cloneBlocks(p.Bodies)
	return &q
}

func cloneBlocks(blocks [][]*Node) [][]*Node {
	var out [][]*Node
	for _, b := range blocks {
		var list []*Node
		for _, n := range b {
			list = append(list, &Node{Text: n.Text, Piece: n.Piece, Blocks: cloneBlocks(n.Blocks)})
		}
		out = append(out, list)
	}
	return out
}

// lists calls f with every list of statements.
func (p *Program) lists(f func(*[]*Node)) {
	var walk func(*[]*Node)
	walk = func(l *[]*Node) {
		before := slices.Clone(*l)
		f(l)
		for _, n := range before {
			for i := range n.Blocks {
				walk(&n.Blocks[i])
			}
		}
	}
	for i := range p.Bodies {
		walk(&p.Bodies[i])
	}
}

// nth calls f with the at-th list.
func (p *Program) nth(at int, f func(*[]*Node)) {
	i := 0
	p.lists(func(l *[]*Node) {
		if i == at {
			f(l)
		}
		i++
	})
}

// hoist replaces a statement by its blocks.
func (p *Program) hoist(at, i int) (done bool) {
	p.nth(at, func(l *[]*Node) {
		var inner []*Node
		for _, b := range (*l)[i].Blocks {
			inner = append(inner, b...)
		}
		if done = inner != nil; done {
			*l = slices.Replace(*l, i, i+1, inner...)
		}
	})
	return done
}

var guarded = regexp.MustCompile(`(?s)^func\(\) \{ .*?defer .*?\n(.*)\n\}\(\)$`)

// unwrap removes the guards around a statement.
func (p *Program) unwrap(at, i int) (done bool) {
	if p.Clean {
		return false
	}
	p.nth(at, func(l *[]*Node) {
		n := (*l)[i]
		if m := guarded.FindStringSubmatch(n.Text); m != nil && len(n.Blocks) == 0 &&
			strings.Contains(n.Text, "G") {
			n.Text, done = "{\n"+m[1]+"\n}", true
		}
	})
	return done
}
