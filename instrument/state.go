package instrument

import (
	"fmt"
	"go/ast"
	"go/types"

	"heddle/rt/states"
)

// usesState inserts a hook at the start of a function of the standard library that uses state
// shared with other tests (package states).
func (r *rewriter) usesState(d *ast.FuncDecl) {
	if !r.in.Standard {
		return
	}
	f, ok := r.info.Defs[d.Name].(*types.Func)
	if !ok {
		return
	}
	name := plainPath(r.in.ImportPath) + "."
	if recv := f.Signature().Recv(); recv != nil {
		name += "(*" + typeName(recv.Type()) + ")."
	}
	u, ok := states.Functions[name+d.Name.Name]
	if !ok {
		return
	}
	if u.Object != "" && u.Object[0] != '.' {
		r.atStart(d.Body, fmt.Sprintf("_hd.StateIn(%q, %v); ", u.Object, u.Store))
		return
	}
	r.atStart(d.Body, fmt.Sprintf("_hd.StateOf(%s%s, %v); ", d.Recv.List[0].Names[0].Name, u.Object, u.Store))
}

// Functions of package runtime and below, and system calls, are observed where the program calls
// them.

// stated are functions that change settings of the whole process and return the old value.
var stated = map[string]map[string]bool{
	"runtime": {"GOMAXPROCS": true, "SetMutexProfileFraction": true},
	"runtime/debug": {"SetGCPercent": true, "SetMaxStack": true, "SetMaxThreads": true,
		"SetMemoryLimit": true, "SetPanicOnFault": true},
}

// harmless are functions of package syscall that other goroutines cannot observe and that observe
// nothing of them. A call of any other makes a test with several goroutines one that is not
// completely observed.
var harmless = map[string]bool{}

func init() {
	for _, n := range []string{
		"BytePtrFromString", "ByteSliceFromString", "ByteSliceToString", "BytePtrToString",
		"SlicePtrFromStrings", "StringBytePtr", "StringByteSlice", "StringSlicePtr",
		"NsecToTimespec", "NsecToTimeval", "TimespecToNsec", "TimevalToNsec", "TimeToTimespec", "ParseDirent",
		"Major", "Minor", "Mkdev", "CmsgLen", "CmsgSpace",
		"ErrnoName", "SignalName", "SignalNum", "ParseSocketControlMessage", "ParseUnixRights", "UnixRights",
		"ParseUnixCredentials", "UnixCredentials",
		"Getpid", "Getppid", "Gettid", "Getuid", "Geteuid", "Getgid", "Getegid", "Getgroups", "Getpagesize",
		"Getpgid", "Getpgrp", "Getsid",
		"Gettimeofday", "Time", "ClockGettime", "ClockGetres", "Uname", "Sysinfo", "Getrusage", "Getrandom",
		"Times", "Getcpu", "SchedGetaffinity",
		"Getenv", "Setenv", "Unsetenv", "Clearenv", "Environ", "Madvise", "Mlock", "Munlock", "Mlockall",
		"Munlockall", "Mprotect", "Getrlimit", "Prlimit",
		"IoctlGetTermios", "IoctlGetWinsize", "IoctlGetInt", "Isatty", "Exit", "Kill", "RuntimeEnvs",
		"Munmap",
	} {
		harmless[n] = true
	}
}

// processCall wraps a function that e names in a hook, if the program calls one of these.
func (r *rewriter) processCall(e ast.Expr, f *types.Func) {
	if r.in.Standard || f.Pkg() == nil || f.Signature().Recv() != nil || r.initial {
		return
	}
	switch path := f.Pkg().Path(); {
	case stated[path][f.Name()]:
		r.wrap(e, "_hd.Stated(", fmt.Sprintf(", %q)", path+"."+f.Name()))
	case (path == "syscall" || path == "golang.org/x/sys/unix" && f.Pkg() != r.pkg) && f.Exported() &&
		!harmless[f.Name()]:
		hook := "_hd.Blind("
		if f.Name() == "Mmap" {
			hook = "_hd.Mapping("
		}
		r.wrap(e, hook, fmt.Sprintf(", %q)", f.Pkg().Name()+"."+f.Name()))
	}
}
