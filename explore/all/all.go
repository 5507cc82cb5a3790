// Package all links the strategies: what it imports is what a binary has.
package all

import (
	_ "heddle/explore/bound"
	_ "heddle/explore/branch"
	_ "heddle/explore/dpor"
	_ "heddle/explore/maptest"
	_ "heddle/explore/observe"
	_ "heddle/explore/pcr"
	_ "heddle/explore/reach"
	_ "heddle/explore/rff"
	_ "heddle/explore/sample"
	_ "heddle/explore/surw"
)
