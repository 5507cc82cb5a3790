package hook

// GlobalVars are pointers to the package-level variables of the packages under
// test, which rt/drive puts back between executions.
var GlobalVars []any

// Globals is called by the init function of a file that heddle adds to each
// package of the module under test.
func Globals(vars ...any) { GlobalVars = append(GlobalVars, vars...) }

// Idlers report whether a goroutine of the standard library's is there that has nothing to do, and
// so has no part in an execution.
var Idlers []func() bool

// Renewals are functions that make what the standard library keeps from one
// execution to the next, connections above all, as it was; they are called before each.
var Renewals []func()
