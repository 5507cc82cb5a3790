package std

// Package internal/poll: a goroutine under test that would block in the runtime's network poller
// (on a socket, a pipe, an inotify file) waits in the scheduler instead. The scheduler runs other
// goroutines and polls the file from time to time. The file itself stays real, except for
// connections and pipes with both ends in this process: added/loopback.go.txt has those.
var pollPatch = &pkg{
	added: embedded("poll.go.txt"),
	more: map[string]func() []byte{LoopbackName: embedded("loopback.go.txt"),
		PacketName: embedded("packet.go.txt")}, systems: true,
	files: map[string]file{
		"fd_poll_runtime.go": {edits: []edit{
			replace("	res := runtime_pollWait(pd.runtimeCtx, mode)\n", "	heddleWait(pd.runtimeCtx, mode); res := runtime_pollWait(pd.runtimeCtx, mode)\n"),
			begin("func setDeadlineImpl(fd *FD, t time.Time, mode int) error {",
				"if fd.heddleDeadline(t, mode) { return nil }"),
		}},
		"fd_mutex.go": {edits: []edit{
			replace("			runtime_Semacquire(mutexSema)\n",
				"			heddleSemacquire(mutexSema)\n"),
		}},
		"fd_unix.go": {edits: []edit{
			replace("		runtime_Semacquire(&fd.csema)\n", "		heddleSemacquire(&fd.csema)\n"),
			replace("	isFile bool\n}\n", "	isFile bool; heddle heddleLink\n}\n"),
			replace("	fd.SysFile.init()\n", "	fd.SysFile.init(); fd.heddleAdopt()\n"),
			replace("	fd.pd.close()\n", "	fd.pd.close(); heddleForget(fd.Sysfd)\n"),
			begin("func (fd *FD) Close() error {", "fd.heddleClosing(); defer fd.heddleClosed()"),
			begin("func (fd *FD) Read(p []byte) (int, error) {",
				"if n, err, ok := fd.heddleRead(p); ok { return n, err }"),
			begin("func (fd *FD) Write(p []byte) (int, error) {",
				"if n, err, ok := fd.heddleWrite(p); ok { return n, err }"),
			begin("func (fd *FD) Accept() (int, syscall.Sockaddr, string, error) {",
				"if l := fd.heddle.listener; l != nil { return heddleAccept(l) }"),
			begin("func (fd *FD) RawRead(f func(uintptr) bool) error {", "if fd.heddleRaw(f) { return nil }"),
			real("RawWrite(f func(uintptr) bool) error"),
			real("SetBlocking() error"),
			real("Dup() (int, string, error)"),
			real("ReadFrom(p []byte) (int, syscall.Sockaddr, error)"),
			real("ReadMsg(p []byte, oob []byte, flags int) (int, int, int, syscall.Sockaddr, error)"),
			real("WriteTo(p []byte, sa syscall.Sockaddr) (int, error)"),
			begin("func (fd *FD) WriteMsg(p []byte, oob []byte, sa syscall.Sockaddr) (int, int, error) {", "if n, err, ok := fd.heddleSendTo(p, oob, sa); ok { return n, 0, err }"),
			begin("func (fd *FD) ReadFromInet4(p []byte, from *syscall.SockaddrInet4) (int, error) {", "if n, _, err, ok := fd.heddleRecv4(p, from); ok { return n, err }"),
			begin("func (fd *FD) ReadFromInet6(p []byte, from *syscall.SockaddrInet6) (int, error) {", "if n, _, err, ok := fd.heddleRecv6(p, from); ok { return n, err }"),
			begin("func (fd *FD) ReadMsgInet4(p []byte, oob []byte, flags int, sa4 *syscall.SockaddrInet4) (int, int, int, error) {", "if n, f, err, ok := fd.heddleRecv4(p, sa4); ok { return n, 0, f, err }"),
			begin("func (fd *FD) ReadMsgInet6(p []byte, oob []byte, flags int, sa6 *syscall.SockaddrInet6) (int, int, int, error) {", "if n, f, err, ok := fd.heddleRecv6(p, sa6); ok { return n, 0, f, err }"),
			begin("func (fd *FD) WriteToInet4(p []byte, sa *syscall.SockaddrInet4) (int, error) {", "if n, err, ok := fd.heddleSend4(p, sa); ok { return n, err }"),
			begin("func (fd *FD) WriteToInet6(p []byte, sa *syscall.SockaddrInet6) (int, error) {", "if n, err, ok := fd.heddleSend6(p, sa); ok { return n, err }"),
			begin("func (fd *FD) WriteMsgInet4(p []byte, oob []byte, sa *syscall.SockaddrInet4) (int, int, error) {", "if n, err, ok := fd.heddleSendMsg4(p, oob, sa); ok { return n, 0, err }"),
			begin("func (fd *FD) WriteMsgInet6(p []byte, oob []byte, sa *syscall.SockaddrInet6) (int, int, error) {", "if n, err, ok := fd.heddleSendMsg6(p, oob, sa); ok { return n, 0, err }"),
		}},
		"fd_posix.go": {edits: []edit{
			begin("func (fd *FD) Shutdown(how int) error {", "if fd.heddleShutdown(how) { return nil }"),
			// RawControl
			replace("	f(uintptr(fd.Sysfd))\n", "	fd.heddleRealPacket(); f(uintptr(fd.Sysfd))\n"),
		}},
		"writev.go": {edits: []edit{
			begin("func (fd *FD) Writev(v *[][]byte) (int64, error) {",
				"if n, err, ok := fd.heddleWritev(v); ok { return n, err }"),
		}},
		"sockopt.go": {edits: []edit{
			begin("func (fd *FD) SetsockoptLinger(level, name int, l *syscall.Linger) error {", "fd.heddleLinger(l)"),
		}},
		"splice_linux.go": {edits: []edit{
			begin("func Splice(dst, src *FD, remain int64) (written int64, handled bool, err error) {", "if dst.HeddleOwn() || src.HeddleOwn() { return }"),
		}},
		"sendfile_unix.go": {edits: []edit{
			begin("func SendFile(dstFD *FD, src uintptr, size int64) (n int64, err error, handled bool) {", "if dstFD.HeddleOwn() { return }"),
		}},
		"copy_file_range_unix.go": {edits: []edit{
			begin("func CopyFileRange(dst, src *FD, remain int64) (written int64, handled bool, err error) {", "if dst.HeddleOwn() || src.HeddleOwn() { return }"),
		}},
	},
}

// real passes a connection on to the kernel before a method of FD that bypasses Read and Write.
func real(method string) edit {
	return begin("func (fd *FD) "+method+" {", "fd.heddleReal()")
}

// Package net: internal/poll learns of listening sockets and of connections to them. Look-ups keep
// nothing between executions.
var netPatch = &pkg{
	added: embedded("net.go.txt"),
	files: map[string]file{
		"fd_unix.go": {edits: []edit{
			replace("	switch err := connectFunc(fd.pfd.Sysfd, ra); err {\n", "	switch err := poll.HeddleConnect(fd.pfd.Sysfd, connectFunc, ra); err {\n"),
		}},
		// State that is renewed for each execution is not shared between goroutines under test and
		// goroutines outside control: added/net.go.txt. If a goroutine is ended within an init,
		// the init counts as done, so the defer sets what goroutines outside control need.
		"lookup.go": {hook: true, edits: []edit{
			replace("	if r == nil {\n		return &DefaultResolver.lookupGroup\n", "	if (r == nil || r == DefaultResolver) && _hs.Here() { return &heddleGroup }; if r == nil {\n		return &DefaultResolver.lookupGroup\n"),
			replace("	dnsWaitGroup.Add(1)\n", "	heddleLookups(1)\n"),
			replaceAll(2, "		dnsWaitGroup.Done()\n", "		heddleLookups(-1)\n"),
		}},
		"dnsclient_unix.go": {edits: []edit{
			replaceAll(2, "			dnsWaitGroup.Add(1)\n", "			heddleLookups(1)\n"),
			replace("			defer dnsWaitGroup.Done()\n", "			defer heddleLookups(-1)\n"),
			replace("				dnsWaitGroup.Done()\n", "				heddleLookups(-1)\n"),
			begin("func getSystemDNSConfig() *dnsConfig {", heddleGate),
			begin("func (conf *resolverConfig) init() {", `defer func() { if conf.ch == nil { conf.dnsConfig.Store(dnsReadConfig("/etc/resolv.conf")) } }()`),
		}},
		"conf.go": {edits: []edit{begin("func systemConf() *conf {", heddleGate)}},
		"nss.go": {edits: []edit{
			begin("func getSystemNSS() *nssConf {", heddleGate),
			begin("func (conf *nsswitchConfig) init() {", `defer func() { if conf.ch == nil { conf.nssConf = parseNSSConfFile("/etc/nsswitch.conf") } }()`),
		}},
		"hosts.go": {edits: []edit{
			begin("func lookupStaticHost(host string) ([]string, string) {", heddleGate),
			begin("func lookupStaticAddr(addr string) []string {", heddleGate),
		}},
		"interface.go": {edits: []edit{
			begin("func (zc *ipv6ZoneCache) update(ift []Interface, force bool) (updated bool) {", heddleGate),
			begin("func (zc *ipv6ZoneCache) name(index int) string {", heddleGate),
			begin("func (zc *ipv6ZoneCache) index(name string) int {", heddleGate),
		}},
		"net.go": {edits: []edit{begin("func listenerBacklog() int {", heddleGate)}},
		"sendfile.go": {edits: []edit{
			replace("	if !supportsSendfile() {\n", "	if c.pfd.HeddleOwn() || !supportsSendfile() {\n"),
		}},
		"sock_posix.go": {edits: []edit{
			replace("	if err = syscall.Bind(fd.pfd.Sysfd, lsa); err != nil {\n		return os.NewSyscallError(\"bind\", err)\n	}\n	if err = listenFunc(",
				"	if err = poll.HeddleBind(fd.pfd.Sysfd, lsa); err != nil {\n		return os.NewSyscallError(\"bind\", err)\n	}\n	if err = listenFunc("),
			replace("		return os.NewSyscallError(\"listen\", err)\n	}\n	if err = fd.init(); err != nil {\n		return err\n	}\n	lsa, _ = syscall.Getsockname(fd.pfd.Sysfd)\n",
				"		return os.NewSyscallError(\"listen\", err)\n	}\n	if err = fd.init(); err != nil {\n		return err\n	}\n	lsa, _ = syscall.Getsockname(fd.pfd.Sysfd); poll.HeddleListen(&fd.pfd, lsa)\n"),
			replace("	if err = syscall.Bind(fd.pfd.Sysfd, lsa); err != nil {\n		return os.NewSyscallError(\"bind\", err)\n	}\n	if err = fd.init(); err != nil {\n		return err\n	}\n	lsa, _ = syscall.Getsockname(fd.pfd.Sysfd)\n",
				"	if err = poll.HeddleBindPacket(fd.pfd.Sysfd, lsa); err != nil {\n		return os.NewSyscallError(\"bind\", err)\n	}\n	if err = fd.init(); err != nil {\n		return err\n	}\n	lsa, _ = syscall.Getsockname(fd.pfd.Sysfd); poll.HeddleOpenPacket(&fd.pfd, lsa)\n"),
		}},
	},
}

// Package net/http: DefaultTransport keeps no connections between executions.
var httpPatch = &pkg{added: embedded("http.go.txt"), files: map[string]file{
	"server.go": moves("func (mux *ServeMux) registerErr(patstr string, handler Handler) error"),
	"transport.go": {edits: []edit{
		begin("func (t *Transport) roundTrip(req *Request) (_ *Response, err error) {", "t = t.heddleTransport()"),
		begin("func (t *Transport) CloseIdleConnections() {", "t = t.heddleTransport()"),
	}},
}}

// Package os: while a goroutine under test waits for a child process, other goroutines run, as the
// child may wait for them. Exit ends the execution, not the process. internal/poll learns of new
// pipes and children. Accesses to files are operations.
var osPatch = &pkg{
	added: embedded("os.go.txt"), systems: true,
	files: map[string]file{"exec_unix.go": {hook: true, edits: []edit{
		begin("func (p *Process) wait() (ps *ProcessState, err error) {",
			"if _hs.Here() && p.Pid > 0 { heddleWait(p.Pid) }"),
	}}, "env.go": moves("func Setenv(key, value string) error", "func Unsetenv(key string) error",
		"func Clearenv()"),
		"file.go": {hook: true, edits: []edit{
			begin("func Chdir(dir string) error {", "_hs.Moved = true"),
			begin("func (f *File) Read(b []byte) (n int, err error) {",
				"f.heddleUse(_hs.OpenRead); f.heddlePlace()"),
			begin("func (f *File) ReadAt(b []byte, off int64) (n int, err error) {",
				"f.heddleUse(_hs.OpenRead)"),
			begin("func (f *File) WriteTo(w io.Writer) (n int64, err error) {",
				"f.heddleUse(_hs.OpenRead); f.heddlePlace()"),
			begin("func (f *File) Seek(offset int64, whence int) (ret int64, err error) {", "f.heddlePlace()"),
			begin("func (f *File) Write(b []byte) (n int, err error) {", "f.heddleUse(_hs.OpenWrite)"),
			begin("func (f *File) WriteAt(b []byte, off int64) (n int, err error) {",
				"f.heddleUse(_hs.OpenWrite)"),
			begin("func (f *File) ReadFrom(r io.Reader) (n int64, err error) {",
				"f.heddleUse(_hs.OpenWrite)"),
			begin("func Mkdir(name string, perm FileMode) error {", "heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func openDir(name string) (*File, error) {", "heddleFile(_hs.FileRead, name, \"\")"),
			begin("func OpenFile(name string, flag int, perm FileMode) (*File, error) {",
				"heddleFile(heddleOpen(flag), name, \"\")"),
			begin("func Rename(oldpath, newpath string) error {",
				"heddleFile(_hs.FileMove, newpath, oldpath)"),
			begin("func Readlink(name string) (string, error) {", "heddleFile(_hs.FileRead, name, \"\")"),
			replace("func Chmod(name string, mode FileMode) error {", "func Chmod(name string, mode FileMode) error { heddleFile(_hs.FileWrite, name, \"\");"),
		}}, "root.go": {hook: true, edits: []edit{
			begin("func (r *Root) OpenFile(name string, flag int, perm FileMode) (*File, error) {", "r.heddleFile(heddleOpen(flag), name, \"\")"),
			begin("func (r *Root) Chmod(name string, mode FileMode) error {",
				"r.heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func (r *Root) Mkdir(name string, perm FileMode) error {",
				"r.heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func (r *Root) MkdirAll(name string, perm FileMode) error {",
				"r.heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func (r *Root) Chown(name string, uid, gid int) error {",
				"r.heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func (r *Root) Lchown(name string, uid, gid int) error {",
				"r.heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func (r *Root) Chtimes(name string, atime time.Time, mtime time.Time) error {", "r.heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func (r *Root) Remove(name string) error {", "r.heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func (r *Root) RemoveAll(name string) error {", "r.heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func (r *Root) Stat(name string) (FileInfo, error) {",
				"r.heddleFile(_hs.FileRead, name, \"\")"),
			begin("func (r *Root) Lstat(name string) (FileInfo, error) {",
				"r.heddleFile(_hs.FileRead, name, \"\")"),
			begin("func (r *Root) Readlink(name string) (string, error) {",
				"r.heddleFile(_hs.FileRead, name, \"\")"),
			begin("func (r *Root) OpenRoot(name string) (*Root, error) {",
				"r.heddleFile(_hs.FileRead, name, \"\")"),
			begin("func (r *Root) Rename(oldname, newname string) error {",
				"r.heddleFile(_hs.FileMove, newname, oldname)"),
			begin("func (r *Root) Link(oldname, newname string) error {",
				"r.heddleFile(_hs.FileLink, newname, oldname)"),
			begin("func (r *Root) Symlink(oldname, newname string) error {",
				"r.heddleFile(_hs.FileLink, newname, heddleBeside(oldname, newname))"),
			begin("func (r *Root) Open(name string) (*File, error) {",
				"r.heddleFile(_hs.FileRead, name, \"\")"),
			begin("func (r *Root) Create(name string) (*File, error) {",
				"r.heddleFile(_hs.FileWrite, name, \"\")"),
		}}, "file_posix.go": {hook: true, edits: []edit{
			begin("func (f *File) Truncate(size int64) error {", "f.heddleUse(_hs.OpenWrite)"),
			begin("func Chtimes(name string, atime time.Time, mtime time.Time) error {",
				"heddleFile(_hs.FileWrite, name, \"\")"),
		}}, "file_unix.go": {hook: true, edits: []edit{
			// Rename was already announced, and this Lstat is not an operation of its own
			replace("	fi, err := Lstat(newname)\n", "	fi, err := lstatNolog(newname)\n"),
			replace("		if ofi, err := Lstat(oldname); err != nil {\n",
				"		if ofi, err := lstatNolog(oldname); err != nil {\n"),
			begin("func Truncate(name string, size int64) error {", "heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func Remove(name string) error {", "heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func Link(oldname, newname string) error {", "heddleFile(_hs.FileLink, newname, oldname)"),
			begin("func Symlink(oldname, newname string) error {",
				"heddleFile(_hs.FileLink, newname, heddleBeside(oldname, newname))"),
		}}, "file_windows.go": {hook: true, edits: []edit{
			begin("func Truncate(name string, size int64) error {", "heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func Remove(name string) error {", "heddleFile(_hs.FileWrite, name, \"\")"),
			begin("func Link(oldname, newname string) error {", "heddleFile(_hs.FileLink, newname, oldname)"),
			begin("func Symlink(oldname, newname string) error {",
				"heddleFile(_hs.FileLink, newname, heddleBeside(oldname, newname))"),
		}}, "path.go": {hook: true, edits: []edit{
			begin("func RemoveAll(path string) error {", "heddleFile(_hs.FileWrite, path, \"\")"),
		}}, "dir.go": {hook: true, edits: []edit{ // a listing depends on the files made in the folder
			begin("func (f *File) Readdir(n int) ([]FileInfo, error) {", "f.heddleUse(_hs.OpenList)"),
			begin("func (f *File) Readdirnames(n int) (names []string, err error) {",
				"f.heddleUse(_hs.OpenList)"),
			begin("func (f *File) ReadDir(n int) ([]DirEntry, error) {", "f.heddleUse(_hs.OpenList)"),
		}}, "stat.go": {hook: true, edits: []edit{
			begin("func Stat(name string) (FileInfo, error) {", "heddleFile(_hs.FileRead, name, \"\")"),
			begin("func Lstat(name string) (FileInfo, error) {", "heddleFile(_hs.FileRead, name, \"\")"),
		}}, "stat_unix.go": {hook: true, edits: []edit{
			begin("func (f *File) Stat() (FileInfo, error) {", "f.heddleUse(_hs.OpenRead)"),
		}}, "stat_windows.go": {hook: true, edits: []edit{
			begin("func (file *File) Stat() (FileInfo, error) {", "file.heddleUse(_hs.OpenRead)"),
		}}, "exec_posix.go": {edits: []edit{
			begin("func startProcess(name string, argv []string, attr *ProcAttr) (p *Process, err error) {", "heddleChild()"),
			// Random names are the same in every process, so two processes would choose one name.
		}}, "tempfile.go": {edits: []edit{
			replace("	return strconv.FormatUint(uint64(uint32(runtime_rand())), 10)\n", "	return strconv.FormatUint(uint64(uint32(runtime_rand())^uint32(Getpid())*0x9e3779b1), 10)\n"),
			replaceAll(2, "		name := prefix + nextRandom() + suffix\n",
				"		name := prefix + nextRandom() + suffix; heddleOwn(name)\n"),
		}}, "pipe2_unix.go": {edits: []edit{
			replace("	return newFile(p[0], \"|0\", kindPipe, false), newFile(p[1], \"|1\", kindPipe, false), nil\n", "	r, w = newFile(p[0], \"|0\", kindPipe, false), newFile(p[1], \"|1\", kindPipe, false); heddlePipe(r, w); return r, w, nil\n"),
		}}, "pipe_unix.go": {edits: []edit{ // macOS
			replace("	return newFile(p[0], \"|0\", kindPipe, false), newFile(p[1], \"|1\", kindPipe, false), nil\n", "	r, w = newFile(p[0], \"|0\", kindPipe, false), newFile(p[1], \"|1\", kindPipe, false); heddlePipe(r, w); return r, w, nil\n"),
		}}, "proc.go": {hook: true, edits: []edit{
			replace("	runtime_beforeExit(code)\n", "	if _hs.Here() { _hs.ExitProcess(code) }; if _hs.AtExit != nil { _hs.AtExit() }; runtime_beforeExit(code)\n"),
		}}},
}

// Package syscall: a write to a file happens before a read from any file, as for Go's race
// detector (ioSync). While a goroutine reads from a file that blocks (inotify, a terminal), other
// goroutines run.
var syscallPatch = &pkg{added: embedded("syscall.go.txt"), systems: true, files: map[string]file{
	"syscall_unix.go": {hook: true, edits: []edit{
		replace("	n, err = pread(fd, p, offset)\n", "	n, err = pread(fd, p, offset); if err == nil && _hs.Here() { _hs.Native(fd, false) }\n"),
		begin("func Pwrite(fd int, p []byte, offset int64) (n int, err error) {",
			"if _hs.Here() { _hs.Native(fd, true) }"),
		replace("	n, err = read(fd, p)\n", "	heddleAwait(fd); n, err = read(fd, p); if err == nil && _hs.Here() { _hs.Native(fd, false) }\n"),
		begin("func Write(fd int, p []byte) (n int, err error) {", "if _hs.Here() { _hs.Native(fd, true) }"),
	}},
	// What is looked at outside of the process: each system call, each variable, the clock.
	"syscall_linux.go": {edits: []edit{
		begin("func RawSyscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {",
			"heddleLook(trap, a1, a2, a3)"),
	}},
	"syscall_linux_amd64.go": {hook: true, edits: []edit{
		begin("func Gettimeofday(tv *Timeval) (err error) {", "_hs.Beyond(_hs.BeyondClock)"),
		begin("func Time(t *Time_t) (tt Time_t, err error) {", "_hs.Beyond(_hs.BeyondClock)"),
	}},
	"env_unix.go": {edits: []edit{
		begin("func Getenv(key string) (value string, found bool) {", "heddleLookEnv(key)"),
		begin("func Environ() []string {", "heddleLookEnv(\"*\")"),
	}},
}}

// heddleGate keeps goroutines outside control out of a function of package net while its state is
// renewed.
const heddleGate = "defer heddleLeave(heddleEnter())"
