package all

// Strategies that are explore.Unit.Heavy: this file is left out of test binaries that do not need
// them.
import _ "heddle/explore/unfold"
