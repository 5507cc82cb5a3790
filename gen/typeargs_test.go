package gen

import (
	"strings"
	"testing"
)

// TestTypeArguments: constraints that name methods, other parameters, the parameter itself,
// pointers and element types get type arguments, and values of these are made up.
func TestTypeArguments(t *testing.T) {
	p := loadFiles(t, "generics", map[string]string{"generics.go": genericsSource}, false)
	for typ, want := range map[string]string{
		"Sum":    "new(Sum[int8])",
		"Table":  "NewTable[Name, int]()",
		"Max":    "NewMax[Age]()",
		"Sorted": "new(Sorted[[]int, int])",
		"Box":    "NewBox[Conf, *Conf]()",
	} {
		s, err := p.Suite(typ, Options{})
		if err != nil {
			t.Errorf("%s: %v", typ, err)
		} else if got := s.makes[0].shown(); got != want {
			t.Errorf("%s: %s, want %s", typ, got, want)
		}
	}
	for typ, want := range map[string][]string{
		"Max":   {"Offer(Age(1))"},
		"Gauge": {"Raise(Low)", "Raise(Mid)", "Raise(High)", "Turn(complex64(1))"},
	} {
		s, err := p.Suite(typ, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var calls []string
		for _, e := range s.pool {
			calls = append(calls, e.text())
		}
		for _, w := range want {
			if all := strings.Join(calls, "; "); !strings.Contains(all, w) {
				t.Errorf("%s: no %s among %s", typ, w, all)
			}
		}
	}
}

const genericsSource = `package generics

type Number interface{ ~int8 | ~uint16 }

type Sum[N Number] struct{ n N }

func (s *Sum[N]) Add(n N) {}

type Hasher interface {
	comparable
	Hash() uint64
}

type Name string

func (n Name) Hash() uint64 { return 1 }

type Table[K Hasher, V any] struct{ m map[K]V }

func NewTable[K Hasher, V any]() *Table[K, V] { return nil }

func (t *Table[K, V]) Put(k K, v V) {}

type Lesser[T any] interface{ Less(T) bool }

type Age int

func (a Age) Less(b Age) bool { return a < b }

type Max[T Lesser[T]] struct{ v T }

func NewMax[T Lesser[T]]() *Max[T] { return nil }

func (m *Max[T]) Offer(v T) {}

func (m *Max[T]) Get() T { return m.v }

type Sorted[S ~[]E, E any] struct{ s S }

func (s *Sorted[S, E]) Append(v E) {}

type Setter[T any] interface {
	*T
	Set(int)
}

type Conf struct{ n int }

func (c *Conf) Set(n int) {}

type Box[T any, P Setter[T]] struct{ t T }

func NewBox[T any, P Setter[T]]() *Box[T, P] { return nil }

func (b *Box[T, P]) Put(n int) {}

type Level int

const (
	Low Level = iota
	Mid
	High
)

type Gauge struct{ l Level }

func (g *Gauge) Level() Level { return g.l }

func (g *Gauge) Raise(l Level) {}

func (g *Gauge) Turn(c complex64) {}
`

// TestOpens: what undoes what another method does comes after it, whatever that takes.
func TestOpens(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"Add", "Done"}: true, {"AddWithContext", "Done"}: true, {"Address", "Done"}: false,
		{"Lock", "Unlock"}: true, {"TryRLock", "RUnlock"}: true, {"Lock", "RUnlock"}: false,
		{"AcquireCtx", "Release"}: true,
	} {
		if opens(pair[0], pair[1]) != want {
			t.Errorf("%s opens what %s ends: want %v", pair[0], pair[1], want)
		}
	}
}
