package std

// Package internal/poll: a goroutine under test that would block in the
// runtime's network poller (a socket, a pipe, an inotify file) waits in the
// scheduler instead, which lets the others go on and looks at the file from
// time to time. What the file does stays real.
var pollPatch = &pkg{
	added: embedded("poll.go.txt"),
	files: map[string]file{
		"fd_poll_runtime.go": {edits: []edit{
			replace("	res := runtime_pollWait(pd.runtimeCtx, mode)\n", "	heddleWait(pd.runtimeCtx, mode); res := runtime_pollWait(pd.runtimeCtx, mode)\n"),
		}},
		"fd_mutex.go": {edits: []edit{
			replace("			runtime_Semacquire(mutexSema)\n", "			heddleSemacquire(mutexSema)\n"),
		}},
		"fd_unix.go": {edits: []edit{
			replace("		runtime_Semacquire(&fd.csema)\n", "		heddleSemacquire(&fd.csema)\n"),
		}},
	},
}

// Package os: a goroutine under test that waits for a child process lets the
// others go on: they may be what the child waits for. Exit ends the execution, not the process.
var osPatch = &pkg{
	added: embedded("os.go.txt"),
	files: map[string]file{"exec_unix.go": {hook: true, edits: []edit{
		replace("func (p *Process) wait() (ps *ProcessState, err error) {\n", "func (p *Process) wait() (ps *ProcessState, err error) { if _hs.Here() && p.Pid > 0 { heddleWait(p.Pid) };\n"),
	}}, "proc.go": {hook: true, edits: []edit{
		replace("	runtime_beforeExit(code)\n", "	if _hs.Here() { _hs.ExitProcess(code) }; runtime_beforeExit(code)\n"),
	}}},
}

// Package syscall: what is written to a file happened before what is read
// from one, as Go's race detector has it too (ioSync).
var syscallPatch = &pkg{files: map[string]file{
	"syscall_unix.go": {hook: true, edits: []edit{
		replace("	n, err = read(fd, p)\n", "	n, err = read(fd, p); if err == nil && _hs.Here() { _hs.Native(fd, false) }\n"),
		replace("func Write(fd int, p []byte) (n int, err error) {\n", "func Write(fd int, p []byte) (n int, err error) { if _hs.Here() { _hs.Native(fd, true) };\n"),
	}},
}}
