package trace

import "testing"

func TestDependency(t *testing.T) {
	for file, want := range map[string]bool{
		"/root/go/pkg/mod/modernc.org/sqlite@v1.61.1/lib/sqlite.go": true,
		"modernc.org/sqlite@v1.61.1/lib/sqlite.go":                  true,
		"C:/go/pkg/mod/example.com/x@v0.0.0-2026/x.go":              true,
		"/home/me/bank/vendor/example.com/x/x.go":                   true,
		"vendor/example.com/x/x.go":                                 true,
		"/home/me/bank/bank.go":                                     false,
		"/home/me/bank@vip/bank.go":                                 false,
		"/home/me/bank/a@v1.go":                                     false,
		"/home/me/vendors/bank.go":                                  false,
		"bank.go":                                                   false,
		"":                                                          false,
	} {
		if got := Dependency(file); got != want {
			t.Errorf("%q: %v, want %v", file, got, want)
		}
	}
}
