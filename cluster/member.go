package cluster

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Which coordinators a worker trusts, and how a coordinator recognises its workers.
//
//	coordinator's key ──► Invitation: public key, secret ──► the line that is pasted at a worker
//	                          │                 │
//	   signs Jobs and orders ─┘                 └─ proves that the worker's own key was invited
//
// A message of a worker is sealed: it has the worker's key, the proof, and a signature over the
// kind of message, the run and the text. So a message that was forged, changed, or kept from
// another run is dropped before it is parsed.

// An Invitation lets a worker do the Items of a coordinator.
type Invitation struct {
	Key    ed25519.PublicKey // signs the Jobs
	Secret []byte            // known only to the coordinator and to invited workers
}

const secretSize = 16

// Invite returns the Invitation of a coordinator's key. It is always the same, so workers stay for
// the next run.
func Invite(key ed25519.PrivateKey) Invitation {
	return Invitation{key.Public().(ed25519.PublicKey), derived(key, "heddle workers")}
}

// Token returns the token of a coordinator's own server if the user has chosen none.
func Token(key ed25519.PrivateKey) string {
	return hex.EncodeToString(derived(key, "heddle server"))
}

// derived returns a secret that only the owner of the key can compute. what names its purpose.
func derived(key ed25519.PrivateKey, what string) []byte {
	return authenticate(key.Seed(), []byte(what))[:secretSize]
}

func authenticate(secret, text []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write(text)
	return h.Sum(nil)
}

// String returns the Invitation in the form that ParseInvitation reads.
func (v Invitation) String() string {
	return hex.EncodeToString(v.Key) + "." + hex.EncodeToString(v.Secret)
}

// ParseInvitation parses the result of Invitation.String.
func ParseInvitation(text string) (Invitation, error) {
	key, secret, _ := strings.Cut(text, ".")
	k, err := hex.DecodeString(key)
	s, err2 := hex.DecodeString(secret)
	if err != nil || err2 != nil || len(k) != ed25519.PublicKeySize || len(s) != secretSize {
		return Invitation{}, fmt.Errorf("%q is no invitation: want %d digits, a dot and %d digits, as heddle test -nats prints them",
			text, 2*ed25519.PublicKeySize, 2*secretSize)
	}
	return Invitation{k, s}, nil
}

// A member is a worker as one coordinator knows it.
type member struct {
	key   ed25519.PrivateKey // the worker's own
	proof []byte             // proof of the invitation
}

// join returns the member for a worker's key and an Invitation.
func join(key ed25519.PrivateKey, v Invitation) *member {
	return &member{key, authenticate(v.Secret, key.Public().(ed25519.PublicKey))}
}

// Kinds of sealed messages.
const (
	kindHere   = "here"
	kindOn     = "on"
	kindResult = "result"
	kindOrder  = "order"
)

// sealSize is the number of bytes that a seal adds: key, proof, signature.
const sealSize = ed25519.PublicKeySize + sha256.Size + ed25519.SignatureSize

// seal returns text as a message to the coordinator of a run.
func (m *member) seal(kind, run string, text []byte) []byte {
	out := make([]byte, 0, sealSize+len(text))
	out = append(out, m.key.Public().(ed25519.PublicKey)...)
	out = append(out, m.proof...)
	out = append(out, ed25519.Sign(m.key, signedText(kind, run, text))...)
	return append(out, text...)
}

// errSeal is the error for a message that was not sealed by an invited worker.
var errSeal = errors.New("a message is not signed by a worker that was invited")

// unseal returns the text of a message to the coordinator of a run, and the worker's name.
func unseal(secret []byte, kind, run string, data []byte) (worker string, text []byte, err error) {
	if len(data) < sealSize {
		return "", nil, errSeal
	}
	key, rest := ed25519.PublicKey(data[:ed25519.PublicKeySize]), data[ed25519.PublicKeySize:]
	proof, rest := rest[:sha256.Size], rest[sha256.Size:]
	signature, text := rest[:ed25519.SignatureSize], rest[ed25519.SignatureSize:]
	if !hmac.Equal(proof, authenticate(secret, key)) ||
		!ed25519.Verify(key, signedText(kind, run, text), signature) {
		return "", nil, errSeal
	}
	return hex.EncodeToString(key[:8]), text, nil
}

// signedText returns the bytes that are signed. Neither kinds nor runs contain a zero byte.
func signedText(kind, run string, text []byte) []byte {
	sum := sha256.Sum256(text)
	return append([]byte("heddle\x00"+kind+"\x00"+run+"\x00"), sum[:]...)
}

// signOrder returns an order in the form in which it goes to workers.
func signOrder(key ed25519.PrivateKey, text []byte) []byte {
	return append(ed25519.Sign(key, signedText(kindOrder, "", text)), text...)
}

// openOrder returns the text of an order if key has signed it.
func openOrder(key ed25519.PublicKey, data []byte) ([]byte, error) {
	if len(data) < ed25519.SignatureSize {
		return nil, ErrUntrusted
	}
	signature, text := data[:ed25519.SignatureSize], data[ed25519.SignatureSize:]
	if !ed25519.Verify(key, signedText(kindOrder, "", text), signature) {
		return nil, ErrUntrusted
	}
	return text, nil
}

// newWorkerKey makes the key of a worker.
func newWorkerKey() (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return key, err
}
