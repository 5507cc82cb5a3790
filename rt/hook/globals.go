package hook

// GlobalVars are pointers to the package-level variables of the packages under
// test, which rt/drive puts back between executions.
var GlobalVars []any

// Globals is called by the init function of a file that heddle adds to each
// package of the module under test.
func Globals(vars ...any) { GlobalVars = append(GlobalVars, vars...) }
