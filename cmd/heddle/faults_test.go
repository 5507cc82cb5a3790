package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"heddle/build"
	"heddle/cluster"
)

// Whatever dies on the way (workers, the command, the NATS server, the network),
// the run ends with the executions and findings of an undisturbed one: every other by reach, the others by dpor.

var faults = flag.Int("faults", 3, "runs of TestFaults")
var faultsFrom = flag.Uint64("faults-from", 1, "seed of the first of them")
var faultsCut = flag.Duration("faults-cut", 0, "cut the network once for so long, and disturb nothing else")

// natsServer is a NATS server in a process of its own: port and folder are its arguments.
func natsServer() {
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	s, err := server.NewServer(&server.Options{ServerName: "faults", Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: os.Args[2], NoLog: true, NoSigs: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	s.Start()
	s.WaitForShutdown()
}

const faultyModule = `module ex.com/faults

go 1.26
`

// 19,605 sequences and classes, some of which panic.
const faultyTest = `package faults

import (
	"sync/atomic"
	"testing"
)

func TestFaulty(t *testing.T) {
	var i, j atomic.Int64
	i.Store(1)
	j.Store(1)
	for k, v := range []*atomic.Int64{&i, &j} {
		w := []*atomic.Int64{&j, &i}[k]
		go func() {
			for range 4 {
				a := v.Load()
				b := w.Load()
				v.Store(a + b)
			}
		}()
	}
	if max(i.Load(), j.Load()) >= 55 {
		panic("so large")
	}
}
`

// A field is where processes live and die.
type field struct {
	t     *testing.T
	r     *rand.Rand
	bin   string // folder of the commands
	dir   string // of the module
	tmp   string
	key   string // of the coordinator
	proxy *proxy
	port  int // of the server

	server  *exec.Cmd
	workers [2]*exec.Cmd
	said    [2]*bytes.Buffer // by them
}

func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole clusters")
	}
	cache, err := build.DefaultCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HEDDLE_CACHE", cache)
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	key, err := cluster.OpenKey(filepath.Join(config, "heddle", "key"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(config, "heddle", "key")); err != nil || strings.TrimSpace(string(text)) != hex.EncodeToString(key.Seed()) {
		t.Fatalf("the key was not kept: %v", err)
	}
	f := &field{t: t, bin: t.TempDir(), dir: t.TempDir(), key: cluster.Public(key)}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"heddle", "natsserver"} {
		if err := os.Symlink(self, filepath.Join(f.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"go.mod": faultyModule, "a_test.go": faultyTest} {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// Undisturbed, and so that everything is built.
	out := f.ended(f.command("test", "-p", "1", "-strategy", "reach", "-budget", "0", "-json", "."))
	if !strings.Contains(out, want("reach")) {
		t.Fatalf("undisturbed: %s", out)
	}
	for seed := *faultsFrom; seed < *faultsFrom+uint64(*faults); seed++ {
		f.disturbed(seed)
	}
}

// want is what a run by a strategy ends with.
func want(strategy string) string {
	return fmt.Sprintf(`"Strategy":%q,"Executions":19605,"Complete":true,"Findings":1,`, strategy)
}

// command returns heddle with arguments.
func (f *field) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(f.bin, "heddle"), args...)
	cmd.Dir = f.dir
	return cmd
}

// ended runs a command to its end and returns what it prints.
func (f *field) ended(cmd *exec.Cmd) string {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		f.t.Fatal(err)
	}
	return out.String()
}

func (f *field) start(cmd *exec.Cmd) *exec.Cmd {
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	return cmd
}

// kill ends a process without a warning.
func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

func (f *field) startServer() {
	f.server = f.start(exec.Command(filepath.Join(f.bin, "natsserver"), strconv.Itoa(f.port), filepath.Join(f.tmp, "nats")))
}

func (f *field) startWorker(i int) {
	cmd := f.command("worker", "-p", "1", "-nats", f.url(), "-trust", f.key, "-nats-lease", "1s")
	f.said[i] = new(bytes.Buffer)
	cmd.Stderr = f.said[i]
	f.workers[i] = f.start(cmd)
}

func (f *field) url() string { return "nats://" + f.proxy.l.Addr().String() }

// disturbed explores the test while things die.
func (f *field) disturbed(seed uint64) {
	t := f.t
	f.r, f.tmp = rand.New(rand.NewPCG(seed, 5)), t.TempDir()
	f.port = freePort(t)
	f.proxy = newProxy(t, "127.0.0.1:"+strconv.Itoa(f.port))
	defer f.proxy.close()
	f.startServer()
	defer func() { kill(f.server) }()
	for i := range f.workers {
		f.startWorker(i)
	}
	defer func() {
		for _, w := range f.workers {
			kill(w)
		}
	}()
	strategy := []string{"dpor", "reach"}[seed%2]
	args := []string{"test", "-p", strconv.Itoa(f.r.IntN(2)), "-nats", f.url(), "-nats-lease", "1s", "-share", "1ms", "-strategy", strategy, "-budget", "0", "-json",
		"-clips", filepath.Join(f.tmp, "clips")}
	var told []string
	for begun := time.Now(); ; {
		var out bytes.Buffer
		cmd := f.command(append(args, ".")...)
		cmd.Stdout, cmd.Stderr = &out, &out
		f.start(cmd)
		ended := make(chan struct{})
		go func() {
			cmd.Wait()
			close(ended)
		}()
		killed := false
		for over := false; !over; {
			select {
			case <-ended:
				over = true
			case <-time.After(time.Duration(50+f.r.IntN(500)) * time.Millisecond):
				if time.Since(begun) > time.Minute+*faultsCut {
					t.Errorf("seed %d: no end after %s\n%s", seed, strings.Join(told, ", "), f.dump(cmd, ended, &out))
					return
				}
				if len(told) < 6 && (*faultsCut == 0 || len(told) == 0) {
					what := f.disturb(cmd)
					told = append(told, what)
					killed = killed || what == killCommand
				}
			}
		}
		if killed {
			args = append(args[:len(args):len(args)], "-resume")
			continue
		}
		if !strings.Contains(out.String(), want(strategy)) {
			t.Errorf("seed %d: after %s:\n%s", seed, strings.Join(told, ", "), out.String())
		}
		t.Logf("seed %d, %s: %.1fs, %s; %s", seed, strategy, time.Since(begun).Seconds(), strings.Join(told, ", "), summaryOf(out.String()))
		return
	}
}

// dump returns what the processes print when they are asked what they are doing.
func (f *field) dump(cmd *exec.Cmd, ended chan struct{}, out *bytes.Buffer) string {
	cmd.Process.Signal(syscall.SIGQUIT)
	<-ended
	text := out.String()
	for i, w := range f.workers {
		w.Process.Signal(syscall.SIGQUIT)
		w.Wait()
		text += fmt.Sprintf("\nworker %d:\n%s", i, f.said[i].String())
		f.startWorker(i) // for the end of the test
	}
	return text
}

func summaryOf(out string) string {
	return regexp.MustCompile(`"Executions":\d+,"Complete":\w+,"Findings":\d+`).FindString(out)
}

const killCommand = "command killed"

// disturb lets one thing die, and says which. What is not the command comes back after a while.
func (f *field) disturb(cmd *exec.Cmd) string {
	again, what := time.Duration(f.r.IntN(800))*time.Millisecond, f.r.IntN(5)
	if *faultsCut > 0 {
		again, what = *faultsCut, 4
	}
	switch what {
	case 0, 1:
		i := f.r.IntN(len(f.workers))
		kill(f.workers[i])
		time.Sleep(again / 4)
		f.startWorker(i)
		return fmt.Sprintf("worker %d killed", i)
	case 2:
		cmd.Process.Kill()
		return killCommand
	case 3:
		kill(f.server)
		time.Sleep(again)
		f.startServer()
		return "server killed"
	default:
		f.proxy.cut(true)
		time.Sleep(again)
		f.proxy.cut(false)
		return "network cut for " + again.String()
	}
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// A proxy is a network that can be cut.
type proxy struct {
	l  net.Listener
	to string

	mu    sync.Mutex
	away  bool
	conns map[net.Conn]bool
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{l: l, to: to, conns: make(map[net.Conn]bool)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return p
}

// pass passes on what comes over one connection. While the network is cut nothing is
// refused and nothing comes: that is how a cable is cut.
func (p *proxy) pass(c net.Conn) {
	defer c.Close()
	d, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer d.Close()
	p.mu.Lock()
	p.conns[c], p.conns[d] = true, true
	p.mu.Unlock()
	done := make(chan struct{}, 2)
	go p.copy(c, d, done)
	go p.copy(d, c, done)
	<-done
}

func (p *proxy) copy(to, from net.Conn, done chan struct{}) {
	defer func() { done <- struct{}{} }()
	in := bufio.NewReader(from)
	buf := make([]byte, 32<<10)
	for {
		n, err := in.Read(buf)
		for p.isCut() {
			time.Sleep(10 * time.Millisecond)
		}
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) isCut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away
}

// cut cuts the network, or mends it. What was on its way when it was mended may be lost with its connection.
func (p *proxy) cut(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away = away; !away {
		for c := range p.conns {
			c.Close()
		}
		clear(p.conns)
	}
}

func (p *proxy) close() {
	p.cut(false)
	p.l.Close()
}
