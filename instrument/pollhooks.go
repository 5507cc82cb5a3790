package instrument

import (
	"go/ast"
	"go/token"
)

// The hooks of loops that may poll, see polls.go.

// pollSite returns the site of a loop that may poll.
func (r *rewriter) pollSite(s *ast.ForStmt) string {
	if r.polls.sites[s] == "" {
		what := "for"
		if s.Cond != nil {
			what = r.source(s.Cond)
		}
		r.polls.sites[s] = r.sites.add("await", s.For, what, nil)
	}
	return r.polls.sites[s]
}

// leave announces before s which loops are left there.
func (r *rewriter) leave(s ast.Stmt) {
	for _, loop := range r.polls.left[s] {
		r.before(s, "_hd.Out("+r.pollSite(loop)+"); ")
	}
}

// poll rewrites the head of a loop that may poll.
func (r *rewriter) poll(s *ast.ForStmt) {
	site := r.pollSite(s)
	if s.Cond != nil {
		r.after(s, "; _hd.Out("+site+")")
	}
	if s.Post != nil {
		n := s.Init.(*ast.AssignStmt).Rhs[0]
		r.replace(n, "_hd.Count("+site+", false, "+r.source(n)+")")
		post := s.Post.(*ast.IncDecStmt)
		v := r.source(post.X)
		r.replace(post, v+" = _hd.Count("+site+", true, "+v+post.Tok.String()[:1]+"1)")
		return
	}
	first, again := " _hd.Loop("+site+", false); ", "; _hd.Loop("+site+", true) "
	if turn := r.polls.turn(s); turn != nil {
		r.after(turn, "; _hd.Loop("+site+", true)")
		again = "; "
	}
	from := s.For + token.Pos(len("for"))
	if s.Cond == nil {
		r.between(from, s.Body.Lbrace, first+again)
		return
	}
	r.between(from, s.Cond.Pos(), first)
	r.between(s.Cond.End(), s.Body.Lbrace, again)
}
