package agree

import (
	"heddle/explore"
	"heddle/explore/transition"
)

// newForms returns an empty set of classes of equivalent executions. What
// depends on what is as the strategy has it, if it says: it may have found out
// more from executions that were not made.
func newForms(s explore.Strategy) *transition.Forms {
	tab := transition.NewTable()
	if s, ok := s.(interface{ Table() *transition.Table }); ok {
		tab = s.Table()
	}
	return transition.NewForms(tab)
}
