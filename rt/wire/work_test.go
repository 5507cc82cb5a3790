package wire

import (
	"reflect"
	"testing"

	"heddle/trace"
)

// A copy of what is known has all of it.
func TestCloneKnowledge(t *testing.T) {
	k := &Knowledge{Visible: []trace.Site{1, 2}, Polled: []trace.Site{3}, Ordered: []trace.Identity{{N: 4}},
		Loose: true, OneWay: true, Unseen: []Unseen{{What: "f"}},
		Cycles: map[uint64]uint8{5: 1}, HandedOver: true, Waits: []trace.Pending{{Obj: 6}}}
	for v, i := reflect.ValueOf(*k), 0; i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not tried", v.Type().Field(i).Name)
		}
	}
	if l := k.Clone(); !reflect.DeepEqual(l, k) {
		t.Errorf("the copy is %+v, want %+v", l, k)
	}
}
