package gogen

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A kind is a kind of shared object.
type kind struct {
	name  string
	decl  string // $ stands for the object's name, $n for a small number, $p for the program's number
	show  string
	plain bool // memory that orders nothing itself
}

// A piece is a kind of statement. In its text $kind stands for an object of that kind ($kind2 for
// another one if there is one), $n for a number from 1 to 3, $k for one from 0 to 2, $u for a
// unique one, $p for the program's, $b0 and $b1 for blocks, $y for a place where a native run
// yields. l is the goroutine's log.
type piece struct {
	name   string
	text   string
	weight int // probability weight; 0 is 4

	kinds  []string // kinds of the objects in its text
	plain  bool
	blocks int
}

// declares matches a text that may declare a name for later statements.
var declares = regexp.MustCompile(`^[^{]*:=|^var |\n[a-z]+ :=|; [a-z]+ :=`)

var placeholder = regexp.MustCompile(`\$([a-z]+)(\d*)`)

// read derives the other fields from the text.
func (pc *piece) read() {
	for _, m := range placeholder.FindAllStringSubmatch(pc.text, -1) {
		switch name := m[1]; name {
		case "n", "k", "u", "p", "y":
		case "b":
			pc.blocks = max(pc.blocks, int(m[2][0]-'0')+1)
		default:
			k := kindOf(name)
			if k == nil {
				panic("gogen: piece " + pc.name + ": no kind " + name)
			}
			pc.plain = pc.plain || k.plain
			if !slices.Contains(pc.kinds, name) {
				pc.kinds = append(pc.kinds, name)
			}
		}
	}
	if pc.weight == 0 {
		pc.weight = 4
	}
	if pc.plain && pc.blocks > 0 {
		panic("gogen: piece " + pc.name + " has blocks and plain memory, which cannot be guarded")
	}
}

func kindOf(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

var all = func() []*piece {
	var list []*piece
	for _, room := range [][]piece{channels, locks, atomics, memory, control, library, files, clocks,
		composed} {
		for i := range room {
			room[i].read()
			list = append(list, &room[i])
		}
	}
	return list
}()

type generator struct {
	*rand.Rand
	p      *Program
	pool   []*piece // the pieces for this program
	weight int
	unique int
}

// joins are the ways in which a test waits for its goroutines.
var joins = []string{"wg", "wg", "wg", "go", "chan", "close", ""}

// Generate returns the program of a number.
func Generate(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x6f7261636c65)), p: &Program{Seed: seed}}
	g.p.Join = joins[g.IntN(len(joins))]
	g.p.Clean = g.IntN(2) == 0
	g.p.Loud = g.IntN(12) == 0
	g.topics()
	n := 3
	if g.IntN(4) == 0 {
		n = 4
	}
	left := 3 + g.IntN(4)
	g.p.Bodies = make([][]*Node, n)
	for left > 0 {
		i := g.IntN(n)
		if i == 0 && g.IntN(2) == 0 { // fewer in the test's own goroutine
			continue
		}
		g.p.Bodies[i] = append(g.p.Bodies[i], g.node(2))
		left--
	}
	return g.p
}

// topics chooses the kinds of objects of one or two pieces, and all pieces that fit them.
func (g *generator) topics() {
	chosen := map[string]bool{}
	for range 1 + g.IntN(2) {
		pc := all[g.IntN(len(all))]
		for len(pc.kinds) == 0 {
			pc = all[g.IntN(len(all))]
		}
		for _, k := range pc.kinds {
			chosen[k] = true
		}
	}
	about := 0
	for _, pc := range all {
		if slices.ContainsFunc(pc.kinds, func(k string) bool { return !chosen[k] }) {
			continue
		}
		if len(pc.kinds) == 0 && pc.blocks == 0 && g.IntN(8) > 0 { // a piece that shares nothing
			continue
		}
		g.pool = append(g.pool, pc)
		g.weight += g.weigh(pc)
		if len(pc.kinds) > 0 {
			about++
		}
	}
	if about < 2 { // two goroutines are needed for a conflict
		g.pool, g.weight = nil, 0
		g.topics()
	}
}

func (g *generator) weigh(pc *piece) int {
	if len(pc.kinds) > 0 {
		return 3 * pc.weight
	}
	return pc.weight
}

// node returns a random statement with blocks up to a depth.
func (g *generator) node(depth int) *Node {
	for {
		i := g.IntN(g.weight)
		for _, pc := range g.pool {
			if i -= g.weigh(pc); i < 0 {
				if pc.blocks > 0 && depth == 0 {
					break
				}
				return g.fill(pc, depth)
			}
		}
	}
}

// fill makes a statement from a piece.
func (g *generator) fill(pc *piece, depth int) *Node {
	n := &Node{Piece: pc.name}
	objects, unique := map[string]*Object{}, ""
	n.Text = placeholder.ReplaceAllStringFunc(pc.text, func(s string) string {
		switch m := placeholder.FindStringSubmatch(s); m[1] {
		case "n":
			return fmt.Sprint(1 + g.IntN(3))
		case "k":
			return fmt.Sprint(g.IntN(3))
		case "u":
			if unique == "" {
				g.unique++
				unique = fmt.Sprint(g.unique)
			}
			return unique
		case "p":
			return fmt.Sprint(g.p.Seed)
		case "y":
			return "%y%"
		case "b":
			return "%" + m[2] + "%"
		default:
			if objects[s] == nil {
				objects[s] = g.object(kindOf(m[1]), objects)
			}
			return objects[s].Name
		}
	})
	for range pc.blocks {
		var b []*Node
		for range 1 + g.IntN(4)/3 {
			b = append(b, g.node(depth-1))
		}
		n.Blocks = append(n.Blocks, b)
	}
	if declares.MatchString(n.Text) {
		n.Text = "{\n" + n.Text + "\n}"
	}
	if pc.plain {
		g.guard(n, objects)
	}
	return n
}

// object returns an object of a kind, a new one if necessary.
func (g *generator) object(k *kind, taken map[string]*Object) *Object {
	var have []*Object
	count := 0
	for _, o := range g.p.Objects {
		if strings.TrimRight(o.Name, "0123456789") != k.name {
			continue
		}
		count++
		used := false
		for _, t := range taken {
			used = used || t == o
		}
		if !used {
			have = append(have, o)
		}
	}
	if len(have) > 0 && (count >= 2 || g.IntN(4) > 0) {
		return have[g.IntN(len(have))]
	}
	o := &Object{Name: fmt.Sprint(k.name, count), plain: k.plain}
	fill := func(s string) string {
		s = strings.ReplaceAll(s, "$n", fmt.Sprint(g.IntN(3)))
		s = strings.ReplaceAll(s, "$p", fmt.Sprint(g.p.Seed))
		return strings.ReplaceAll(s, "$", o.Name)
	}
	o.Decl, o.Show = fill(k.decl), fill(k.show)
	if k.plain {
		o.Open = g.guardOf(o)
	}
	g.p.Objects = append(g.p.Objects, o)
	return o
}

// guardOf returns the beginning of a guarded access to o, and adds the guard if necessary.
func (g *generator) guardOf(o *Object) string {
	switch g.IntN(4) {
	case 0:
		o.Decl += fmt.Sprintf("; %sG := make(chan bool, 1)", o.Name)
		return fmt.Sprintf("%sG <- true; defer func() { <-%sG }()", o.Name, o.Name)
	case 1:
		o.Decl += fmt.Sprintf("; var %sG sync.RWMutex", o.Name)
	default:
		o.Decl += fmt.Sprintf("; var %sG sync.Mutex", o.Name)
	}
	return fmt.Sprintf("%sG.Lock(); defer %sG.Unlock()", o.Name, o.Name)
}

// guard wraps a statement in the guards of its plain objects: always in a clean program, else
// often.
func (g *generator) guard(n *Node, objects map[string]*Object) {
	if !g.p.Clean && g.IntN(3) > 0 {
		return
	}
	var open []string
	for _, o := range g.p.Objects { // in the same order everywhere
		for _, t := range objects {
			if t == o && o.plain && !slices.Contains(open, o.Open) {
				open = append(open, o.Open)
			}
		}
	}
	n.Text = "func() { " + strings.Join(open, "; %y%; ") + "\n" + n.Text + "\n}()"
}
