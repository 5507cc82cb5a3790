package debug

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// defaultAddress is where editors look for heddle debug.
const defaultAddress = "127.0.0.1:2345"

// EditorConfig returns the settings by which an editor connects to heddle debug -listen address;
// "": 127.0.0.1:2345.
func EditorConfig(editor, address string) (string, error) {
	if address == "" {
		address = defaultAddress
	}
	host, port, err := net.SplitHostPort(address)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 {
		return "", fmt.Errorf("-listen %s: want HOST:PORT with a number as PORT, such as %s", address,
			defaultAddress)
	}
	if host == "" { // of all addresses this machine's own
		host = "127.0.0.1"
	}
	text, ok := editors[editor]
	if !ok {
		return "", fmt.Errorf("-config %s: want one of: vscode, goland", editor)
	}
	return strings.NewReplacer("HOST", host, "PORT", port).Replace(text), nil
}

// editors are the settings, by editor.
var editors = map[string]string{
	"vscode": `{
  "version": "0.2.0",
  "configurations": [
    {
      "name": "heddle debug",
      "type": "go",
      "request": "attach",
      "mode": "remote",
      "debugAdapter": "dlv-dap",
      "host": "HOST",
      "port": PORT
    }
  ]
}
`,
	"goland": `<component name="ProjectRunConfigurationManager">
  <configuration default="false" name="heddle debug" type="GoRemoteDebugConfigurationType" factoryName="Go Remote" host="HOST" port="PORT">
    <option name="disconnectOption" value="KILL" />
    <disconnect value="KILL" />
    <method v="2" />
  </configuration>
</component>
`,
}
