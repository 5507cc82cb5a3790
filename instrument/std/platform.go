package std

import (
	"fmt"
	"slices"
	"strings"
)

// Platforms are the GOOS/GOARCH for which heddle builds tests.
var Platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// SupportedPlatform returns an error that says what to do on an unknown platform. Unknown
// platforms lack what heddle needs of the runtime (frame pointers), or are untested.
func SupportedPlatform(goos, goarch string) error {
	if slices.Contains(Platforms, goos+"/"+goarch) {
		return nil
	}
	return fmt.Errorf("tests for %s/%s are not known to work: heddle builds them for %s; set GOOS and GOARCH to one of these", goos, goarch, strings.Join(Platforms, ", "))
}
