// Package rpc serves delve's own protocol for a clip, which GoLand speaks. Delve answers itself:
// the execution stops where it goes wrong and at breakpoints, and goes forward only.
package rpc

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"

	"github.com/go-delve/delve/service"
	"github.com/go-delve/delve/service/api"
	"github.com/go-delve/delve/service/debugger"
	"github.com/go-delve/delve/service/rpc2"
	"github.com/go-delve/delve/service/rpccommon"

	"heddle/debug"
	"heddle/rt/wire"
)

// Serve talks to a client until it goes away or ctx ends. No process is left then.
func Serve(ctx context.Context, p *debug.Program, client io.ReadWriteCloser) error {
	files, err := p.NewFiles()
	if err != nil {
		return err
	}
	defer files.Remove()
	if err := aim(p, files.Control); err != nil {
		return err
	}
	if err := os.Setenv(wire.Env, files.Config); err != nil { // for the process that delve starts
		return err
	}
	defer os.Unsetenv(wire.Env)
	conns := &conns{given: make(chan net.Conn, 2), closed: make(chan struct{})}
	server := rpccommon.NewServer(&service.Config{Listener: conns, AcceptMulti: true, APIVersion: 2,
		ProcessArgs: append([]string{p.Binary}, p.Args...),
		Debugger:    debugger.Config{WorkingDir: p.Dir, Backend: "default", CheckGoVersion: true}})
	if err := server.Run(); err != nil {
		return err
	}
	defer server.Stop()
	if err := breakpoint(conns); err != nil {
		return err
	}
	ours, its := net.Pipe()
	conns.given <- its
	return between(ctx, client, ours)
}

// aim has the process pause where the finding is.
func aim(p *debug.Program, c *debug.Control) error {
	return errors.Join(c.Pauses(p.Pauses()|1<<wire.PauseStep|1<<wire.PauseEnd), c.Stop(p.WrongStep()))
}

// breakpoint sets the one at which the process pauses, as a client beside the other one.
func breakpoint(conns *conns) error {
	ours, its := net.Pipe()
	conns.given <- its
	c := rpc2.NewClientFromConn(ours)
	defer c.Disconnect(false)
	_, err := c.CreateBreakpoint(&api.Breakpoint{Name: "heddle", FunctionName: wire.PauseFunc})
	return err
}

// between passes on what two ends say, until one of them goes away or ctx ends.
func between(ctx context.Context, a, b io.ReadWriteCloser) error {
	ctx, over := context.WithCancel(ctx)
	pass := func(to io.Writer, from io.Reader) {
		defer over()
		io.Copy(to, from)
	}
	go pass(a, b)
	go pass(b, a)
	<-ctx.Done()
	return errors.Join(a.Close(), b.Close())
}

// conns is a listener whose connections are given to it.
type conns struct {
	given  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (c *conns) Accept() (net.Conn, error) {
	select {
	case conn := <-c.given:
		return conn, nil
	case <-c.closed:
		return nil, net.ErrClosed
	}
}

func (c *conns) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *conns) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
