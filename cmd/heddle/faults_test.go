package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
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

// Whatever dies on the way (workers, the command, the NATS server, the network), the run ends with
// the executions and findings of an undisturbed one, be it a search by dpor or reach, or one for
// inputs. One by portfolios has no fixed number of executions: it ends with the findings, and
// counts no execution that was not made.

var faults = flag.Int("faults", 4, "runs of TestFaults")
var faultsFrom = flag.Uint64("faults-from", 1, "seed of the first of them")
var faultsCut = flag.Duration("faults-cut", 0, "cut the network once for so long, and disturb nothing else")

// natsServer is a NATS server in a process of its own: port and folder are its arguments.
func natsServer() {
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	s, err := server.NewServer(&server.Options{ServerName: "faults", Host: "127.0.0.1", Port: port,
		JetStream: true, StoreDir: os.Args[2], NoLog: true, NoSigs: true})
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

// TestFaulty has 19,605 sequences and classes, some of which panic; TestRare more than can be
// explored, of which few do.
const faultyTest = `package faults

import (
	"os"
	"sync/atomic"
	"syscall"
	"testing"
)

// fib lets n goroutines add two numbers so many times each, and returns the greater one as it is then.
func fib(n, rounds int) int64 {
	var i, j atomic.Int64
	i.Store(1)
	j.Store(1)
	for k := range n {
		v, w := &i, &j
		if k%2 == 1 {
			v, w = w, v
		}
		go func() {
			for range rounds {
				a := v.Load()
				b := w.Load()
				v.Store(a + b)
			}
		}()
	}
	return max(i.Load(), j.Load())
}

func TestFaulty(t *testing.T) {
	if fib(2, 4) >= 55 {
		panic("so large")
	}
}

func TestRare(t *testing.T) {
	fd, err := syscall.Open(os.Getenv("EXECUTED"), syscall.O_CREAT|syscall.O_WRONLY|syscall.O_APPEND, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	syscall.Write(fd, []byte{'.'})
	syscall.Close(fd)
	if fib(3, 4) >= 100 {
		panic("so large")
	}
}

func FuzzFaulty(f *testing.F) {
	f.Fuzz(func(t *testing.T, a int16, b, c byte) {
		rounds := 1
		switch {
		case a > 1000:
			rounds = 2
		case int(a)+int(b) < -300:
			rounds = 3
		}
		if b > 50 && c == 7 {
			rounds++
		}
		if fib(2, rounds) >= 13 && a == 1234 {
			panic("so large")
		}
	})
}
`

// A faultyRun is what is explored while things die.
type faultyRun struct {
	name string
	args []string
	// wrong returns what is wrong with a summary, "" if nothing is.
	wrong func(f *field, s *summary) string
}

// A summary is what a run says in the end.
type summary struct {
	Executions, Findings int
	Complete             bool
}

var faultyRuns = [...]faultyRun{
	{"dpor", []string{"-run", "TestFaulty", "-strategy", "dpor", "-budget", "0"},
		exact(summary{19605, 1, true})},
	{"reach", []string{"-run", "TestFaulty", "-strategy", "reach", "-budget", "0"},
		exact(summary{19605, 1, true})},
	{"inputs", []string{"-run", "xxx", "-fuzz", "FuzzFaulty", "-chance=false",
		"-strategy", "dpor", "-budget", "0"},
		exact(summary{26839, 1, false})},
	{"portfolios", []string{"-run", "TestRare", "-race=false", "-flow=false", "-budget", "1m"},
		(*field).asMany},
}

// exact wants one summary.
func exact(want summary) func(*field, *summary) string {
	return func(_ *field, s *summary) string {
		if *s != want {
			return fmt.Sprintf("%+v, want %+v", *s, want)
		}
		return ""
	}
}

// asMany wants the one finding, and no more executions than the test has noted.
func (f *field) asMany(s *summary) string {
	executed, err := os.ReadFile(f.executed())
	if err != nil || s.Findings != 1 || s.Complete || s.Executions == 0 || s.Executions > len(executed) {
		return fmt.Sprintf("%+v, want one finding in no more than %d executions (%v)", *s, len(executed), err)
	}
	return ""
}

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
	if text, err := os.ReadFile(filepath.Join(config, "heddle", "key")); err != nil ||
		strings.TrimSpace(string(text)) != hex.EncodeToString(key.Seed()) {
		t.Fatalf("the key was not kept: %v", err)
	}
	f := &field{t: t, bin: t.TempDir(), dir: t.TempDir(), key: cluster.Invite(key).String()}
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
	for _, run := range faultyRuns {
		f.tmp = t.TempDir()
		t.Setenv("EXECUTED", f.executed())
		args := append([]string{"test", "-p", "1", "-json", "-clips", filepath.Join(f.tmp, "clips")},
			run.args...)
		out := f.ended(f.command(append(args, ".")...))
		if wrong := f.wrong(&run, out); wrong != "" {
			t.Fatalf("%s, undisturbed: %s\n%s", run.name, wrong, out)
		}
	}
	for seed := *faultsFrom; seed < *faultsFrom+uint64(*faults); seed++ {
		f.disturbed(seed)
	}
}

// executed is where TestRare notes its executions.
func (f *field) executed() string { return filepath.Join(f.tmp, "executed") }

// wrong returns what is wrong with the output of a run that has come to its end, "" if nothing is,
// and removes the inputs that it has kept.
func (f *field) wrong(run *faultyRun, out string) string {
	os.RemoveAll(filepath.Join(f.dir, "testdata"))
	var s *summary
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, `{"Action":"summary"`) {
			s = new(summary)
			if err := json.Unmarshal([]byte(line), s); err != nil {
				return err.Error()
			}
		}
	}
	if s == nil {
		return "no summary"
	}
	return run.wrong(f, s)
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
	f.server = f.start(exec.Command(filepath.Join(f.bin, "natsserver"), strconv.Itoa(f.port),
		filepath.Join(f.tmp, "nats")))
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
	t.Setenv("EXECUTED", f.executed())
	run := &faultyRuns[seed%uint64(len(faultyRuns))]
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
	args := []string{"test", "-p", strconv.Itoa(f.r.IntN(2)), "-nats", f.url(), "-nats-lease", "1s", "-share",
		"1ms", "-json", "-clips", filepath.Join(f.tmp, "clips")}
	args = append(args, run.args...)
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
				if time.Since(begun) > 2*time.Minute+*faultsCut {
					t.Errorf("seed %d: no end after %s\n%s", seed, strings.Join(told, ", "),
						f.dump(cmd, ended, &out))
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
			if run.name == "inputs" { // of which there is no log: a clip would be an execution more
				os.RemoveAll(filepath.Join(f.tmp, "clips"))
			}
			continue
		}
		if wrong := f.wrong(run, out.String()); wrong != "" {
			t.Errorf("seed %d, %s: after %s: %s\n%s", seed, run.name, strings.Join(told, ", "), wrong,
				out.String())
		}
		t.Logf("seed %d, %s: %.1fs, %s; %s", seed, run.name, time.Since(begun).Seconds(),
			strings.Join(told, ", "), summaryOf(out.String()))
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

// cut cuts the network, or mends it. What was on its way when it was mended may be lost with its
// connection.
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
