package dap

import "runtime"

// advice returns what to do where delve cannot start a process.
func advice() string {
	switch runtime.GOOS {
	case "darwin":
		return "\non macOS delve needs Apple's debugserver: run \"xcode-select --install\", and allow debugging with \"sudo DevToolsSecurity -enable\""
	case "linux":
		return "\nin a container it needs the right to trace processes: docker run --cap-add=SYS_PTRACE"
	}
	return ""
}
