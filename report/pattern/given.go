package pattern

import (
	"fmt"
	"go/ast"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
)

// What a goroutine gives away, and what it forgets to give back.

// sentAway: a goroutine has sent what it accesses, and the other one has received it.
func (s *story) sentAway(m *Match, a, b act) bool {
	for _, pair := range [][2]act{{a, b}, {b, a}} {
		from, to := pair[0], pair[1]
		send, ok := s.last(from.i, func(x act) bool {
			return x.G == from.G && x.op == trace.OpSend && !failed(x) &&
				mentions(s.source.sent(x.Where), root(s.name(from)))
		})
		if !ok {
			continue
		}
		recv, ok := s.last(to.i, func(x act) bool {
			return x.G == to.G && x.op == trace.OpRecv && x.Obj == send.Obj
		})
		if !ok || s.name(send) == "" {
			continue
		}
		name := root(s.name(from))
		m.Name, m.Var = HandedOver, name
		m.Roles = append(m.Roles, Role{"send", send.G, send.Where, of(send)},
			Role{"receive", recv.G, recv.Where, of(recv)})
		m.Text = fmt.Sprintf("%s sends `%s` to `%s` at %s and still %s it at %s; %s received from the channel at %s and %s the same memory at %s. What is sent is no copy: a slice, map or pointer leads both goroutines to one value.",
			from.G, s.source.sent(send.Where), s.name(send), at(send.Where), verb(from), at(from.Where), to.G,
			at(recv.Where), verb(to), at(to.Where))
		m.Hint = fmt.Sprintf("do not use `%s` after the send at %s: make a new one for every value that is sent", name, at(send.Where))
		typ := s.source.Declared(from.Where.File, from.Where.Line, name).Type
		switch {
		case strings.HasPrefix(typ, "[]"):
			m.Hint += fmt.Sprintf(", or send a copy, `%s <- slices.Clone(%s)`", s.name(send),
				s.source.sent(send.Where))
		case strings.HasPrefix(typ, "map["):
			m.Hint += fmt.Sprintf(", or send a copy, `%s <- maps.Clone(%s)`", s.name(send),
				s.source.sent(send.Where))
		}
		return true
	}
	return false
}

// root returns the variable at the beginning of a name: "buf" of "buf[k]" and of "buf.n".
func root(name string) string {
	i := strings.IndexAny(name, ".[(*&")
	if i < 0 {
		return name
	}
	return name[:i]
}

// mentions reports whether an expression has a name as a word of its own.
func mentions(expr, name string) bool {
	for _, w := range strings.FieldsFunc(expr, func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127)
	}) {
		if w == name {
			return name != ""
		}
	}
	return false
}

// sent returns the value of the send at p as source, or "".
func (c *sources) sent(p wire.Place) (text string) {
	c.On(p.File, p.Line, func(n ast.Node) {
		if send, ok := n.(*ast.SendStmt); ok && c.Line(send.Pos()) == p.Line {
			text = c.Text(send.Value)
		}
	})
	return text
}

// putBack: a goroutine has put into a pool what it accesses, and the other one has got it from
// there.
func (s *story) putBack(m *Match, a, b act) bool {
	for _, pair := range [][2]act{{a, b}, {b, a}} {
		from, to := pair[0], pair[1]
		put, ok := s.last(from.i, func(x act) bool { return x.G == from.G && x.op == trace.OpPoolPut })
		if !ok {
			continue
		}
		get, ok := s.last(to.i, func(x act) bool {
			return x.G == to.G && x.op == trace.OpPoolGet && x.Obj == put.Obj && x.i > put.i
		})
		if !ok || s.name(put) == "" || s.library != nil && (s.library(put.Where) || s.library(get.Where)) {
			continue
		}
		// it is a part of what was put only if it was used before
		if _, ok := s.last(put.i, func(x act) bool { return x.G == from.G && x.Obj == from.Obj }); !ok {
			continue
		}
		m.Name = HandedOver
		m.Roles = append(m.Roles, Role{"put", put.G, put.Where, of(put)},
			Role{"get", get.G, get.Where, of(get)})
		m.Text = fmt.Sprintf("%s puts a value into `%s` at %s and still %s its memory at %s (%s); %s got the same value from the pool at %s and %s it at %s. After Put the value belongs to the next caller of Get.",
			from.G, s.name(put), at(put.Where), verb(from), at(from.Where), code(s.named(from, m.Var)), to.G,
			at(get.Where), verb(to), at(to.Where))
		m.Hint = fmt.Sprintf("call Put at %s only when nothing of the value is used any more; what is returned or kept is to be a copy that is made before Put (bytes.Clone, slices.Clone, String())", at(put.Where))
		return true
	}
	return false
}

// doneTwice explains a counter of a WaitGroup that goes below zero.
func (s *story) doneTwice(p wire.Place) *Match {
	done, ok := s.last(len(s.acts), func(a act) bool { return a.G == p.Goroutine && a.op == trace.OpWGAdd })
	if !ok || done.Arg >= 0 || s.names[done.Obj] == "" {
		return nil
	}
	name, dones := s.names[done.Obj], 0
	var adds []act
	var counted int64
	for _, a := range s.acts {
		switch {
		case a.op != trace.OpWGAdd || a.Obj != done.Obj:
		case a.Arg > 0:
			adds, counted = append(adds, a), counted+a.Arg
		default:
			dones++
		}
	}
	m := &Match{Name: DoneTwice, Var: name, Roles: []Role{{"done", p.Goroutine, p, of(done)}}}
	m.Text = fmt.Sprintf("%s calls %s.Done at %s, which is one Done more than Add has counted (%d): the counter goes below zero.",
		p.Goroutine, name, at(p), counted)
	m.Hint = fmt.Sprintf("call %s.Add(1) for every Done, before the goroutine that calls Done is started", name)
	start, ok := s.last(len(s.acts), func(a act) bool { return a.op == trace.OpGo && a.Child == p.Goroutine })
	if !ok || !s.source.inModule(start.Where) {
		return m
	}
	for _, a := range adds {
		if a.G == start.G {
			return m
		}
	}
	m.Roles = append(m.Roles, Role{"go", start.G, start.Where, of(start)})
	m.Text += fmt.Sprintf(" %s started it at %s and called no Add for it", start.G, at(start.Where))
	if len(adds) > 0 {
		m.Text += fmt.Sprintf("; the last Add, at %s, was for another goroutine", at(adds[len(adds)-1].Where))
		last := adds[len(adds)-1]
		m.Roles = append(m.Roles, Role{"add", last.G, last.Where, of(last)})
	}
	m.Text += "."
	m.Hint = fmt.Sprintf("call %s.Add(1) before the go statement at %s", name, at(start.Where))
	return m
}

// notReleased explains a send to a channel whose room counts what may run at once: a function that
// has sent to it has ended without the receive that gives the place back.
func (s *story) notReleased(w act) *Match {
	name := w.Where.Object
	if w.op != trace.OpSend || name == "" {
		return nil
	}
	var kept []act
	for _, a := range s.acts {
		switch {
		case a.Obj != w.Obj:
		case a.op == trace.OpSend && !failed(a):
			kept = append(kept, a)
		case a.op == trace.OpRecv:
			for k := range kept {
				if kept[k].G == a.G {
					kept = append(kept[:k], kept[k+1:]...)
					break
				}
			}
		}
	}
	if len(kept) == 0 || kept[len(kept)-1].Cap == 0 {
		return nil
	}
	took := kept[len(kept)-1]
	f := s.source.function(took.Where)
	if f == nil {
		return nil
	}
	release := "<-" + name
	releases, _ := s.source.calls(f, release)
	returns, _ := s.source.bare(f, took.Where.Line, release)
	if len(releases) == 0 || len(returns) == 0 {
		return nil
	}
	m := &Match{Name: NotReleased, Var: name, Roles: []Role{{"take", took.G, took.Where, of(took)},
		{"wait", w.G, w.Where, of(w)}}}
	if len(returns) == 1 {
		m.then(returns[0], took, "return")
	}
	m.Text = fmt.Sprintf("%s took a place in `%s` at %s and did not give it back: the return at %s comes before the receive at %s. %s waits at %s to send to `%s`, which is full, and nothing is left that receives from it.",
		took.G, name, at(took.Where), ats(returns), ats(releases), w.G, at(w.Where), name)
	m.Hint = fmt.Sprintf("give the place back on every path: `defer func() { %s }()` right after %s, in place of %s",
		release, at(took.Where), ats(releases))
	return m
}

// betweenCalls recognises a goroutine that calls a library twice in one function and is interrupted
// between the two calls by another one that calls it too.
func (s *story) betweenCalls() *Match {
	for i := len(s.acts) - 1; i > 0; i-- {
		b := s.acts[i]
		if !b.Switch || b.Call == nil {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			a := s.acts[k]
			if a.G == b.G || a.Call == nil {
				continue
			}
			if next, ok := s.first(i, func(x act) bool { return x.G == a.G && x.Call != nil }); ok {
				if m := s.tellCalls(a, b, next); m != nil {
					return m
				}
			}
			break
		}
	}
	return nil
}

func (s *story) tellCalls(a, b, next act) *Match {
	from, to, ok := s.source.together(*a.Call, *next.Call)
	first, then, between := s.source.outerCall(from), s.source.outerCall(to), s.source.outerCall(*b.Call)
	pkg := library(a.Call.Op)
	if !ok || samePlace(from, to) || first == "" || then == "" || between == "" ||
		pkg != library(next.Call.Op) || pkg != library(b.Call.Op) {
		return nil
	}
	m := &Match{Name: BetweenCalls, Var: first, Roles: []Role{{"first", a.G, from, of(a)},
		{"second", next.G, to, of(next)}, {"between", b.G, *b.Call, of(b)}}}
	m.Text = fmt.Sprintf("%s called `%s` at %s and then `%s` at %s. Between the two calls %s called `%s` at %s, so what %s knew from the first call was out of date at the second.",
		a.G, first, at(from), then, at(to), b.G, between, at(*b.Call), a.G)
	calls := ats([]wire.Place{from, to})
	m.Hint = fmt.Sprintf("make the two calls (%s) one step: hold one mutex around both", calls)
	if pkg == "database/sql" {
		m.Hint = fmt.Sprintf("make the two calls (%s) one step: one statement (such as UPDATE ... SET n = n + ?, or INSERT ... ON CONFLICT), one transaction that locks what it reads, or one mutex around both", calls)
	}
	return m
}

// library returns the package of a function: "database/sql" of "database/sql.(*DB).Exec".
func library(function string) string {
	slash := strings.LastIndexByte(function, '/')
	pkg, _, _ := strings.Cut(function[slash+1:], ".")
	return function[:slash+1] + pkg
}

// outerCall returns the first call on the line of p as source, or "".
func (c *sources) outerCall(p wire.Place) (text string) {
	c.On(p.File, p.Line, func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok && text == "" && c.Line(call.Pos()) == p.Line &&
			c.Line(call.End()) == p.Line {
			text = c.Text(call)
		}
	})
	return text
}
