package hook

// StateVars are pointers to variables of the standard library that programs change, such as
// flag.CommandLine.
var StateVars []any

// State makes variables known.
func State(vars ...any) { StateVars = append(StateVars, vars...) }

// Moved is set where what they refer to, the environment or the working directory may have changed.
var Moved bool
