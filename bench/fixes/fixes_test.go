package fixes

import "testing"

// Every archive has a bug and a fix that differ, and says what they are about.
func TestAll(t *testing.T) {
	pairs, non := All(), 0
	for _, p := range pairs {
		if p.Note == "" || p.Bug["p.go"] == "" || p.Bug["p_test.go"] == "" || p.Fix == nil {
			t.Errorf("%s: expected a comment, p.go, p_test.go and fix/", p.Name)
		}
		if p.Fix["p.go"] == p.Bug["p.go"] {
			t.Errorf("%s: the fix changes nothing", p.Name)
		}
		if p.Non != nil {
			non++
			if p.Non["p.go"] == p.Bug["p.go"] || p.Non["p.go"] == p.Fix["p.go"] {
				t.Errorf("%s: the change that mends nothing is none, or the fix", p.Name)
			}
		}
	}
	if len(pairs) < 40 || non < 10 {
		t.Errorf("%d pairs and %d changes that mend nothing, want 40 and 10", len(pairs), non)
	}
}
