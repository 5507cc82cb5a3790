package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"heddle/rt/wire"
)

// An authority makes certificates.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	ca   string // file of its own certificate
}

func newAuthority(t *testing.T, name string) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.ca, _ = a.issue(name,
		&x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// issue makes a certificate and its key; the first one is the authority's own.
func (a *authority) issue(name string, c *x509.Certificate) (cert, key string) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c.SerialNumber, c.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	parent, by := c, k
	if a.cert != nil {
		parent, by = a.cert, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &k.PublicKey, by)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.cert == nil {
		a.cert, a.key = c, k
		if a.cert, err = x509.ParseCertificate(der); err != nil {
			a.t.Fatal(err)
		}
	}
	secret, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write(name+".pem", "CERTIFICATE", der), a.write(name+".key", "EC PRIVATE KEY", secret)
}

func (a *authority) write(name, kind string, der []byte) string {
	path := filepath.Join(a.dir, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

func (a *authority) server() (cert, key string) {
	return a.issue("server",
		&x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth,
			x509.ExtKeyUsageClientAuth}})
}

func (a *authority) client() (cert, key string) {
	return a.issue("client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
}

// natsServer starts a server that is not heddle's, and returns its URL.
func natsServer(t *testing.T, o server.Options) string {
	t.Helper()
	o.Host, o.Port, o.JetStream, o.StoreDir, o.NoLog, o.NoSigs = "127.0.0.1", server.RANDOM_PORT, true,
		t.TempDir(), true, true
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not listen")
	}
	return s.ClientURL()
}

// reach connects, and fails the test unless the error's text, which has one line, contains want;
// "" means no error.
func reach(t *testing.T, what string, n Network, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	b, err := Connect(ctx, n)
	if err == nil {
		b.Close()
	}
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case want != "" && err == nil:
		t.Errorf("%s: connected, want an error with %q", what, want)
	case want != "" &&
		(!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || ctx.Err() != nil):
		t.Errorf("%s: %q (%v), want an error in one line with %q, before the time is over", what, err, ctx.Err(), want)
	}
}

func TestToken(t *testing.T) {
	url := natsServer(t, server.Options{Authorization: "s3cret"})
	reach(t, "token", Network{URL: url, Token: "s3cret"}, "")
	reach(t, "another token", Network{URL: url, Token: "secret"}, "Authorization Violation")
	reach(t, "no token", Network{URL: url}, "Authorization Violation")
}

func TestPassword(t *testing.T) {
	url := natsServer(t, server.Options{Username: "ann", Password: "s3cret"})
	with := func(user string) string { return strings.Replace(url, "nats://", "nats://"+user+"@", 1) }
	reach(t, "user and password", Network{URL: with("ann:s3cret")}, "")
	reach(t, "wrong password", Network{URL: with("ann:secret")}, "Authorization Violation")
	reach(t, "no user", Network{URL: url}, "Authorization Violation")
}

// A server that knows its users by their JWTs, which are in the file of -nats-creds.
func TestCreds(t *testing.T) {
	pair := func(make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
		k, err := make()
		if err != nil {
			t.Fatal(err)
		}
		public, err := k.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		return k, public
	}
	encode := func(c jwt.Claims, by nkeys.KeyPair) string {
		text, err := c.Encode(by)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	operator, operatorKey := pair(nkeys.CreateOperator)
	account, accountKey := pair(nkeys.CreateAccount)
	_, systemKey := pair(nkeys.CreateAccount)
	claims := jwt.NewAccountClaims(accountKey)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1,
		Consumer: -1}
	accounts := &server.MemAccResolver{}
	accounts.Store(accountKey, encode(claims, operator))
	accounts.Store(systemKey, encode(jwt.NewAccountClaims(systemKey), operator))
	url := natsServer(t,
		server.Options{TrustedKeys: []string{operatorKey}, AccountResolver: accounts,
			SystemAccount: systemKey})
	creds := func(name string, by nkeys.KeyPair) string {
		user, userKey := pair(nkeys.CreateUser)
		seed, err := user.Seed()
		if err != nil {
			t.Fatal(err)
		}
		text, err := jwt.FormatUserConfig(encode(jwt.NewUserClaims(userKey), by), seed)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	stranger, _ := pair(nkeys.CreateAccount)
	reach(t, "credentials", Network{URL: url, Creds: creds("ann", account)}, "")
	reach(t, "those of a stranger", Network{URL: url, Creds: creds("bob", stranger)},
		"Authorization Violation")
	reach(t, "none", Network{URL: url}, "Authorization Violation")
	reach(t, "no such file", Network{URL: url, Creds: filepath.Join(t.TempDir(), "none")}, "no such file")
}

func TestTLS(t *testing.T) {
	ours, other := newAuthority(t, "ours"), newAuthority(t, "other")
	cert, key := ours.server()
	mine, mineKey := ours.client()
	theirs, theirsKey := other.client()
	for _, verify := range []bool{false, true} {
		tls, err := server.GenTLSConfig(&server.TLSConfigOpts{CertFile: cert, KeyFile: key, CaFile: ours.ca,
			Verify: verify})
		if err != nil {
			t.Fatal(err)
		}
		url := natsServer(t, server.Options{TLSConfig: tls, TLSTimeout: 5})
		what := fmt.Sprintf("a server that wants certificates: %v; ", verify)
		reach(t, what+"certificate", Network{URL: url, CA: ours.ca, Cert: mine, Key: mineKey}, "")
		reach(t, what+"server that nobody vouches for", Network{URL: url, Cert: mine, Key: mineKey},
			"unknown authority")
		reach(t, what+"server that another vouches for",
			Network{URL: url, CA: other.ca, Cert: mine, Key: mineKey}, "unknown authority")
		reach(t, what+"key of another", Network{URL: url, CA: ours.ca, Cert: mine, Key: theirsKey},
			"private key does not match")
		if verify {
			reach(t, what+"no certificate", Network{URL: url, CA: ours.ca}, "certificate")
			reach(t, what+"certificate of a stranger",
				Network{URL: url, CA: ours.ca, Cert: theirs, Key: theirsKey}, "certificate")
		} else {
			reach(t, what+"no certificate", Network{URL: url, CA: ours.ca}, "")
		}
	}
}

// A server of our own uses TLS, and with -nats-ca demands a certificate of the workers.
func TestOwnTLS(t *testing.T) {
	ours, other := newAuthority(t, "ours"), newAuthority(t, "other")
	cert, key := ours.server()
	mine, mineKey := ours.client()
	theirs, theirsKey := other.client()
	b, err := Connect(t.Context(),
		Network{URL: "127.0.0.1:0", Token: "s3cret", Cert: cert, Key: key, CA: ours.ca})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	reach(t, "worker", Network{URL: b.URL(), Token: "s3cret", CA: ours.ca, Cert: mine, Key: mineKey}, "")
	reach(t, "worker with another token",
		Network{URL: b.URL(), Token: "secret", CA: ours.ca, Cert: mine, Key: mineKey},
		"Authorization Violation")
	reach(t, "worker without a certificate", Network{URL: b.URL(), Token: "s3cret", CA: ours.ca},
		"certificate")
	reach(t, "a stranger's worker",
		Network{URL: b.URL(), Token: "s3cret", CA: ours.ca, Cert: theirs, Key: theirsKey}, "certificate")
}

// A stranger that may write to the server hands out a binary signed by another key: the worker
// does not run it, reports it, and continues with those that it trusts.
func TestUntrusted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	bus, err := Connect(ctx, Network{URL: natsServer(t, server.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, stranger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	offer := func(content string, by ed25519.PrivateKey) *Remote {
		binary := filepath.Join(t.TempDir(), "binary")
		if err := os.WriteFile(binary, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := bus.Offer(ctx, by,
			&Job{Binary: hash([]byte(content)), Package: content, Platform: Platform}, binary)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	forged, m := offer("theirs", stranger), offer("ours", key)
	item, _ := json.Marshal(&wire.Item{N: 1})
	data, _ := json.Marshal(&order{Job: forged.job, Run: "forged", Item: item})
	if _, err := bus.js.Publish(ctx, workSubject(Public(key), "forged"),
		signOrder(stranger, data)); err != nil {
		t.Fatal(err)
	}
	tr := &tree{seed: 1}
	notes, started, served := make(chan string, 100), make(chan string, 100), make(chan error)
	go func() {
		served <- bus.Serve(ctx,
			Service{Trust: []Invitation{Invite(key)}, Slots: 1, Dir: t.TempDir(),
				Note: func(text string) { notes <- text },
				Start: func(j *Job, _ string) Executor {
					started <- j.Package
					return treeExecutor{tr}
				}})
	}()
	if note := <-notes; note != ErrUntrusted.Error() {
		t.Errorf("the worker says %q, want %q", note, ErrUntrusted)
	}
	want, _ := tr.whole()
	r := newRunOf(tr, Options{})
	if err := m.Work(ctx, r, nil); err != nil {
		t.Fatal(err)
	}
	if o, err := r.Finish(); err != nil || o.Tally.Executions != want.Executions {
		t.Errorf("%d nodes visited, want %d; %v", o.Tally.Executions, want.Executions, err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	close(started)
	for name := range started {
		if name != "ours" {
			t.Errorf("the worker has run %s", name)
		}
	}
	if len(notes) > 0 {
		t.Errorf("it goes on saying: %q", <-notes)
	}
}
