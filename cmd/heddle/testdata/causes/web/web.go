// Package web serves the pages of a shop.
package web

import (
	"example.com/causes/bank"
	"example.com/causes/cache"
	"example.com/causes/config"
	"example.com/causes/stats"
)

// A Server has what its pages need.
type Server struct {
	hits  stats.Hits
	pages *cache.Cache
	till  bank.Account
	safe  bank.Account
}

// NewServer returns a server.
func NewServer() *Server { return &Server{pages: cache.New("/", "/cart")} }

// Page serves a page.
func (s *Server) Page(name string) bool {
	s.hits.Visit(name)
	return s.pages.Use(name)
}

// Price returns a price as text.
func (s *Server) Price() string { return "10 " + config.Get().Currency }

// Closing moves the day's money to the safe, and Opening some of it back.
func (s *Server) Closing() { bank.Move(&s.till, &s.safe, 100) }

// Opening is the opposite of Closing.
func (s *Server) Opening() { bank.Move(&s.safe, &s.till, 20) }
