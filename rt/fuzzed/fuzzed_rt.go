//go:build heddle_rt

package fuzzed

import _ "internal/fuzz"
