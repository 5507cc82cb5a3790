package syntax

import (
	"reflect"
	"sync"
	"testing"
)

const program = `package p

func f(a, b struct{ mu lock }, c chan int, stop chan bool) {
	a.mu.Lock(); b.mu.
		Lock()
	func() { a.mu.Lock(); b.mu.Lock(); a.mu.Unlock() }()
	select {
	case v := <-c:
		print(v)
	default:
	case <-stop:
	}
}
`

// files returns files of which there is one, and how often it was read.
func files() (*Files, *int) {
	n := new(int)
	return New(func(name string) []byte {
		if name != "p.go" {
			return nil
		}
		*n++
		return []byte(program)
	}), n
}

func TestCalls(t *testing.T) {
	s, _ := files()
	for _, tt := range []struct {
		file    string
		line    int
		methods []string
		want    []string
	}{
		{"p.go", 4, []string{"Lock"}, []string{"a.mu"}}, // by the line of the name Lock
		{"p.go", 5, []string{"Lock"}, []string{"b.mu"}},
		{"p.go", 6, []string{"Lock"}, []string{"a.mu", "b.mu"}},
		{"p.go", 6, []string{"Lock", "Unlock"}, []string{"a.mu", "b.mu", "a.mu"}},
		{"p.go", 6, []string{"RLock"}, nil},
		{"p.go", 99, []string{"Lock"}, nil},
		{"q.go", 6, []string{"Lock"}, nil},
	} {
		if got := s.Calls(tt.file, tt.line, tt.methods...); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Calls(%s, %d, %q) = %q, want %q", tt.file, tt.line, tt.methods, got, tt.want)
		}
	}
}

func TestCases(t *testing.T) {
	s, _ := files()
	want := []string{"v := <-c", "<-stop"}
	if got := s.Cases("p.go", 7); !reflect.DeepEqual(got, want) {
		t.Errorf("Cases = %q, want %q", got, want)
	}
	if got := s.Cases("p.go", 8); got != nil {
		t.Errorf("Cases of a line inside the select = %q, want none", got)
	}
}

// A file is read once, also if it cannot be read, by any number of goroutines.
func TestOnce(t *testing.T) {
	s, n := files()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s.Cases("p.go", 7)
			s.Cases("gone.go", 7)
		})
	}
	wg.Wait()
	if *n != 1 {
		t.Errorf("p.go was read %d times", *n)
	}
	if New(nil).File("p.go") != nil {
		t.Error("files without a reader have a file")
	}
}
