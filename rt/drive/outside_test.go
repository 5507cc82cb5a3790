package drive

import "testing"

func TestStarter(t *testing.T) {
	for _, c := range []struct{ dump, want string }{
		{"goroutine 7 [IO wait]:\nnet/http.(*conn).serve(0xc0)\n\t/go/src/net/http/server.go:2000 +0x1\ncreated by net/http.(*Server).Serve in goroutine 5\n\t/go/src/net/http/server.go:3493 +0x485\n", "net/http.(*Server).Serve (server.go:3493)"},
		{"goroutine 9 [chan receive]:\nmain.init.0.func1()\n\t/x/a.go:3\ncreated by main.init.0 in goroutine 1\n\t/x/a.go:9 +0x1d", "main.init.0 (a.go:9)"},
		{"goroutine 9 [chan receive]:\nm.serve(...)\n\t/x/a.go:3\nm.init.0.func1()\n\t/x/a.go:12 +0x9\ncreated by heddlert/hook.Go in goroutine 1\n\t/x/goroutine.go:17 +0x1d", "m.init.0 (a.go:12)"},
		{"goroutine 3 [coroutine]:\nruntime.coroswitch\nheddlert/sched.(*worker).main(0x1)\n\t/y.go:1\ncreated by heddlert/sched.x in goroutine 1\n\t/y.go:2", ""},
		{"goroutine 1 [running]:\nmain.main()\n\t/x.go:1", ""},
	} {
		if got := starter(c.dump); got != c.want {
			t.Errorf("%q, want %q of\n%s", got, c.want, c.dump)
		}
	}
}

func TestStrangersAreFound(t *testing.T) {
	stop := make(chan bool)
	defer close(stop)
	go func() { <-stop }()
	for _, s := range strangers(nil, 100) {
		if s == "heddle/rt/drive.TestStrangersAreFound (outside_test.go:22)" {
			return
		}
	}
	t.Errorf("not among %q", strangers(nil, 100))
}
