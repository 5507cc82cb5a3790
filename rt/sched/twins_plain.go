//go:build !heddle_rt

package sched

// sameClosure reports whether two go statements had equal closures. In heddle's own tests the site
// stands for the code, and the arguments for what the closure has.
func sameClosure(x, y *kin) bool { return equalArgs(x.args, y.args) }
