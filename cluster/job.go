package cluster

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"heddle/rt/wire"
)

// A Job is what a worker needs to do the Items of a package.
type Job struct {
	Binary   string // content hash (SHA-256) of the test binary
	Name     string // file name of the binary, which programs may print
	Package  string
	Dir      string // the package's folder at the build
	Args     []string
	Config   wire.Config
	Stall    int64  // nanoseconds without progress after which a process is ended
	Platform string // platform of the binary
}

// Platform is the platform of this process.
var Platform = runtime.GOOS + "-" + runtime.GOARCH

// signed is a Job with a signature, as it goes over the network: a worker runs the binary because
// it trusts the signer.
type signed struct {
	Job       []byte
	Signature []byte
}

// sign returns the network form of a Job, and its name.
func sign(j *Job, key ed25519.PrivateKey) (name string, data []byte, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return "", nil, err
	}
	data, err = json.Marshal(&signed{text, ed25519.Sign(key, text)})
	return hash(text), data, err
}

// ErrUntrusted is the error for a Job that is not signed by a trusted key.
var ErrUntrusted = errors.New("the job is not signed by a key that this worker trusts")

// verify reads the Job of that name if key has signed it.
func verify(name string, data []byte, key ed25519.PublicKey) (*Job, error) {
	var s signed
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	if !ed25519.Verify(key, s.Job, s.Signature) || hash(s.Job) != name {
		return nil, ErrUntrusted
	}
	j := new(Job)
	if err := json.Unmarshal(s.Job, j); err != nil {
		return nil, err
	}
	if j.Platform != Platform {
		return nil, fmt.Errorf("the binary is for %s, this is %s", j.Platform, Platform)
	}
	return j, nil
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// OpenKey reads the key that a coordinator signs with, or makes one if there is none.
func OpenKey(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		return key, os.WriteFile(path, []byte(hex.EncodeToString(key.Seed())+"\n"), 0o600)
	}
	if err != nil {
		return nil, err
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("%s holds no key: remove it, and another is made", path)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// Public returns the name of a key, which is part of the subjects of its messages.
func Public(key ed25519.PrivateKey) string {
	return hex.EncodeToString(key.Public().(ed25519.PublicKey))
}
