package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// A launch says how test binaries are started.
type launch struct {
	goos, goarch string // what they are built for; "": this machine
	// the program that starts them, with its arguments; nil: they are started as they are
	prefix []string
}

// launcher returns how binaries for a platform are started. As with the go command that is -exec,
// else a program go_GOOS_GOARCH_exec in $PATH. The error is for binaries that cannot be executed
// here at all.
func launcher(xprog, goos, goarch string) (launch, error) {
	l := launch{goos: goos, goarch: goarch}
	if xprog != "" {
		var err error
		if l.prefix, err = splitQuoted(xprog); err != nil || len(l.prefix) == 0 {
			return l, fmt.Errorf("-exec %s: want a program, with its arguments", xprog)
		}
		if _, err := exec.LookPath(l.prefix[0]); err != nil {
			return l, fmt.Errorf("-exec %s: %v", xprog, err)
		}
		return l, nil
	}
	if !l.foreign() {
		return l, nil
	}
	if path, err := exec.LookPath(l.helper()); err == nil {
		l.prefix = []string{path}
		return l, nil
	}
	if !mayExecute(goos, goarch) {
		return l, errors.New(l.advice())
	}
	return l, nil
}

// foreign reports whether the binaries are for another platform than heddle.
func (l launch) foreign() bool {
	return l.goos != "" && (l.goos != runtime.GOOS || l.goarch != runtime.GOARCH)
}

// windows reports whether the binaries are for Windows, where they inherit no descriptors but the
// standard ones.
func (l launch) windows() bool {
	return l.goos == "windows" || l.goos == "" && runtime.GOOS == "windows"
}

// helper is the name of the program in $PATH that the go command uses too.
func (l launch) helper() string { return "go_" + l.goos + "_" + l.goarch + "_exec" }

func (l launch) advice() string {
	return fmt.Sprintf("tests that are built for %s/%s cannot be executed here, on %s/%s: run heddle on such a machine, or say with -exec, or by a program %s in $PATH, what starts them%s",
		l.goos, l.goarch, runtime.GOOS, runtime.GOARCH, l.helper(), example(l.goos, l.goarch))
}

// example names a program for -exec that there may be.
func example(goos, goarch string) string {
	switch {
	case runtime.GOOS != "linux":
		return ""
	case goos == "linux" && goarch == "arm64":
		return " (-exec qemu-aarch64)"
	case goos == "linux" && goarch == "amd64":
		return " (-exec qemu-x86_64)"
	}
	return ""
}

// explain returns what to say where a binary could not be started.
func (l launch) explain(err error) error {
	var path *fs.PathError
	if l.foreign() && len(l.prefix) == 0 && errors.As(err, &path) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s (%v)", l.advice(), path.Err)
	}
	if errors.Is(err, syscall.ENOEXEC) {
		return fmt.Errorf("%v: the test binary is not one of this machine", err)
	}
	return err
}

// mayExecute reports whether the system may execute binaries of another platform itself. Linux does
// where an emulator is registered for them, macOS and Windows on arm64 execute those of amd64.
func mayExecute(goos, goarch string) bool {
	if runtime.GOOS == "linux" {
		registered, _ := os.ReadDir("/proc/sys/fs/binfmt_misc")
		for _, e := range registered {
			if name := e.Name(); name != "register" && name != "status" &&
				!strings.HasPrefix(name, "python") {
				return true
			}
		}
		return false
	}
	return goos == runtime.GOOS && runtime.GOARCH == "arm64" && goarch == "amd64"
}

// splitQuoted splits a command line at blanks outside of quotes.
func splitQuoted(s string) ([]string, error) {
	var fields []string
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		if q := s[0]; q == '"' || q == '\'' {
			i := strings.IndexByte(s[1:], q)
			if i < 0 {
				return nil, errors.New("a quote has no end")
			}
			fields, s = append(fields, s[1:1+i]), s[i+2:]
			continue
		}
		i := strings.IndexAny(s, " \t")
		if i < 0 {
			i = len(s)
		}
		fields, s = append(fields, s[:i]), s[i:]
	}
	return fields, nil
}
