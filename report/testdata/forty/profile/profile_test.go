package profile

import (
	"errors"
	"testing"
)

func TestLoad(t *testing.T) {
	bad := func() (string, error) { return "", errors.New("no") }
	good := func() (string, error) { return "x", nil }
	if _, _, err := Load(bad, good); err == nil {
		t.Error("the error is lost")
	}
}
