package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Network says how to reach NATS.
type Network struct {
	// URL of a server, or of several, separated by commas. An address without a scheme
	// ("host:port") makes heddle start a server there; ":4222" listens on this machine only.
	URL string

	Creds     string // file of a user's credentials
	Token     string // of a server that heddle starts, or of another one
	CA        string // file of certificates of the authorities that vouch for the server
	Cert, Key string // files of this process's certificate and its key

	// Lease is how long a worker may stay silent before its Items are given to others; 0: 10 s.
	Lease time.Duration
}

func (n *Network) lease() time.Duration {
	if n.Lease > 0 {
		return n.Lease
	}
	return 10 * time.Second
}

// Own reports whether heddle starts the server itself.
func (n *Network) Own() bool { return !strings.Contains(n.URL, "://") }

// A Bus is a connection to NATS and the streams for work:
//
//	heddle.work.KEY.PLATFORM.RUN     stream HEDDLE_WORK, a work queue: Items for workers that trust the key
//	heddle.results.RUN               stream HEDDLE_RESULTS: results of Items
//	bucket HEDDLE                    binaries by content hash, signed Jobs
//	heddle.here.KEY, heddle.call.KEY workers announce themselves; a coordinator asks for that
//	heddle.on.RUN, heddle.hurry.RUN  workers say what they work on; a coordinator asks for work back
type Bus struct {
	net     Network
	srv     *server.Server
	dir     string // of srv
	nc      *nats.Conn
	js      jetstream.JetStream
	storage jetstream.StorageType

	welcome context.Context // ends, with the cause, when one side has refused the other
	refuse  context.CancelCauseFunc
}

const (
	workStream   = "HEDDLE_WORK"
	resultStream = "HEDDLE_RESULTS"
	bucket       = "HEDDLE"
	keep         = time.Hour // for how long the server keeps unclaimed data
)

// Connect connects to NATS. It first starts a server if Own says so.
func Connect(ctx context.Context, n Network) (*Bus, error) {
	b := &Bus{net: n, storage: jetstream.FileStorage}
	b.welcome, b.refuse = context.WithCancelCause(context.Background())
	refused := func(_ *nats.Conn, err error) {
		if cause := refusal(err); cause != nil {
			b.refuse(cause)
		}
	}
	opts := []nats.Option{nats.Name("heddle"), nats.MaxReconnects(-1),
		nats.ReconnectWait(200 * time.Millisecond), nats.RetryOnFailedConnect(true),
		nats.ReconnectErrHandler(refused), nats.DisconnectErrHandler(refused),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(5 * time.Second)}
	if n.Token != "" {
		opts = append(opts, nats.Token(n.Token))
	}
	to := n.URL
	if n.Own() {
		if err := b.listen(); err != nil {
			return nil, err
		}
		to = ""
		opts = append(opts, nats.InProcessServer(b.srv))
		b.storage = jetstream.MemoryStorage // the server ends with this process; the Log is what lasts
	} else {
		if n.Creds != "" {
			opts = append(opts, nats.UserCredentials(n.Creds))
		}
		if n.CA != "" {
			opts = append(opts, nats.RootCAs(n.CA))
		}
		if n.Cert != "" {
			opts = append(opts, nats.ClientCert(n.Cert, n.Key))
		}
	}
	var err error
	if b.nc, err = nats.Connect(to, opts...); err == nil {
		b.js, err = jetstream.New(b.nc)
	}
	if err == nil {
		err = b.open(ctx)
	}
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("NATS at %s: %w", redacted(n.URL), err)
	}
	return b, nil
}

// refusal returns an error if one side has refused the other, so that another attempt is useless;
// nil for any other error, such as a server that may come back.
func refusal(err error) error {
	var alert *net.OpError // the server refuses our certificate
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, nats.ErrTLS): // the client gives up too
		return fmt.Errorf("the server ended the connection right after the TLS handshake, so it may want another certificate: %w", err)
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrSecureConnRequired),
		errors.As(err, &alert) && alert.Op == "remote error", errors.As(err, &certificate):
		return err
	}
	return nil
}

// redacted returns URLs with x in place of passwords.
func redacted(urls string) string {
	all := strings.Split(urls, ",")
	for i, text := range all {
		if u, err := url.Parse(text); err == nil {
			all[i] = u.Redacted()
		}
	}
	return strings.Join(all, ",")
}

// listen starts a server.
func (b *Bus) listen() error {
	host, port, err := net.SplitHostPort(b.net.URL)
	if err != nil {
		return fmt.Errorf("want a URL, such as nats://host:4222, or host:port to listen at: %w", err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("%q is no port", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	if b.dir, err = os.MkdirTemp("", "heddle-nats-"); err != nil {
		return err
	}
	o := &server.Options{ServerName: "heddle", Host: host, Port: number, JetStream: true, StoreDir: b.dir,
		NoSigs: true, NoLog: true,
		Authorization: b.net.Token, MaxPayload: mostPayload}
	if b.net.Cert != "" {
		tc := &server.TLSConfigOpts{CertFile: b.net.Cert, KeyFile: b.net.Key, CaFile: b.net.CA,
			Verify: b.net.CA != ""}
		if o.TLSConfig, err = server.GenTLSConfig(tc); err != nil {
			return err
		}
		o.TLSConfig.MinVersion = tls.VersionTLS12
		o.TLSTimeout = 5
	}
	if b.srv, err = server.NewServer(o); err != nil {
		return err
	}
	b.srv.Start()
	if !b.srv.ReadyForConnections(10 * time.Second) {
		return fmt.Errorf("the server does not listen at %s", b.net.URL)
	}
	return nil
}

// mostPayload is the largest message in bytes on a server of our own. Results contain whole
// stacks.
const mostPayload = 8 << 20

// mostStream bounds the bytes of each stream on a server of our own, which are in this process's
// memory. Items that are lost because of it are handed out again.
const mostStream = 256 << 20

// URL returns the server's address for workers, without password or token.
func (b *Bus) URL() string {
	if b.srv == nil {
		return redacted(b.net.URL)
	}
	u, err := url.Parse(b.srv.ClientURL())
	if err != nil {
		return b.srv.ClientURL()
	}
	if host, err := os.Hostname(); err == nil && net.ParseIP(u.Hostname()).IsUnspecified() {
		u.Host = net.JoinHostPort(host, u.Port())
	}
	return u.String()
}

// Invitation returns URL with the token, for the line that a user pastes at a worker.
func (b *Bus) Invitation() string {
	scheme, rest, _ := strings.Cut(b.URL(), "://")
	return scheme + "://" + b.net.Token + "@" + rest
}

// Close closes the connection, and stops the server if it is our own.
func (b *Bus) Close() {
	if b.nc != nil {
		b.nc.Close()
	}
	if b.srv != nil {
		b.srv.Shutdown()
		b.srv.WaitForShutdown()
	}
	if b.dir != "" {
		os.RemoveAll(b.dir)
	}
}

// open creates the streams unless another process has. It waits for a server.
func (b *Bus) open(ctx context.Context) error {
	most := int64(-1) // a server of the user's has its own limits
	if b.srv != nil {
		most = mostStream
	}
	streams := []jetstream.StreamConfig{
		{Name: workStream, Subjects: []string{"heddle.work.>"}, Retention: jetstream.WorkQueuePolicy,
			Storage: b.storage, MaxAge: keep, MaxBytes: most},
		{Name: resultStream, Subjects: []string{"heddle.results.>"}, Storage: b.storage, MaxAge: keep,
			MaxBytes: most},
	}
	return b.insist(ctx, func(ctx context.Context) error {
		for _, c := range streams {
			_, err := b.js.Stream(ctx, c.Name)
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				_, err = b.js.CreateStream(ctx, c)
			}
			if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
				return err
			}
		}
		_, err := b.js.ObjectStore(ctx, bucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			_, err = b.js.CreateObjectStore(ctx,
				jetstream.ObjectStoreConfig{Bucket: bucket, Storage: b.storage, TTL: 24 * keep})
		}
		if errors.Is(err, jetstream.ErrBucketExists) {
			return nil
		}
		return err
	})
}

// insist repeats f until it succeeds, as servers come and go. It returns errors of ctx and
// refusals by the server.
func (b *Bus) insist(ctx context.Context, f func(context.Context) error) error {
	for timeout := 5 * time.Second; ; {
		try, cancel := context.WithTimeout(ctx, timeout)
		stop := context.AfterFunc(b.welcome, cancel)
		err := f(try)
		stop()
		// a binary may take longer, but an answer that was lost should not be awaited that long
		if try.Err() != nil {
			timeout = min(2*timeout, time.Minute)
		}
		cancel()
		switch {
		case err == nil:
			return nil
		case b.welcome.Err() != nil:
			return context.Cause(b.welcome)
		case ctx.Err() != nil:
			return errors.Join(ctx.Err(), err)
		case errors.Is(err, nats.ErrMaxPayload), errors.Is(err, nats.ErrConnectionClosed),
			errors.Is(err, jetstream.ErrJetStreamNotEnabled):
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// object returns the bucket.
func (b *Bus) object(ctx context.Context) (jetstream.ObjectStore, error) {
	store, err := b.js.ObjectStore(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) { // a server lost its data
		if err = b.open(ctx); err == nil {
			store, err = b.js.ObjectStore(ctx, bucket)
		}
	}
	return store, err
}

func workSubject(key, run string) string { return "heddle.work." + key + "." + Platform + "." + run }
func workFilter(key string) string       { return "heddle.work." + key + "." + Platform + ".>" }
func resultSubject(run string) string    { return "heddle.results." + run }
func hereSubject(key string) string      { return "heddle.here." + key }
func callSubject(key string) string      { return "heddle.call." + key }
func onSubject(run string) string        { return "heddle.on." + run }
func hurrySubject(run string) string     { return "heddle.hurry." + run }

// An order is an Item on the way to a worker.
type order struct {
	Job, Run string
	Item     []byte // wire.Item
}

// A here is a worker's announcement.
type here struct {
	ID    string
	Slots int
}

// A working names the Item of a run that a worker works on, or that is wanted back.
type working struct{ N, Epoch int }
