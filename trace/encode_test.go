package trace

import (
	"reflect"
	"testing"
)

func sampleTrace() *Trace {
	return &Trace{
		Verdict:    Deadlocked,
		Goroutines: []Goroutine{{Parent: NoG}, {Parent: NoG, N: 1}, {Parent: 0, N: 1, Site: 1<<63 | 7}},
		Objects: []Object{{Static: true}, {Kind: ObjChan, Number: true, Flat: true, Addr: 0xc000123456,
			G: 2, N: 9,
			Offset: 40, Cap: 3, Site: 77, Init: 1 << 63}},
		Steps: []Step{{G: 0, Op: OpLock, Choice: -1, Default: 2, Site: 1 << 60},
			{G: 2, Op: OpChoose, Choice: 3, Default: 2, With: 4, Case: -1, WithCase: 2}},
		Events: []Event{{G: 2, Op: OpSend, Quiet: true, Obj: 1, Partner: -1, Arg: -5, Site: 3, Val: 1,
			Step: 1}},
		Values: []string{"", "héddle"},
		Offers: []Offer{{G: 2, Step: -1, Case: 3, Send: true, Poll: true, Obj: 1, Site: 1 << 62,
			After: 5}},
		Left: []Left{{G: 2, Step: 1, Enabled: true,
			Pending: Pending{Op: OpRecv, Obj: 1, Site: 5, Seq: 6}}},
		Plain: []Plain{{G: 2, Step: 1, Write: true, Size: 8, Site: 1 << 61, After: 1,
			Mem:    Object{Kind: ObjMemory, Static: true, Addr: 0xc000123456, G: NoG, N: 3, Offset: 16},
			Update: Update{UpdateOr, 1 << 40}, Key: 1 << 41}},
		Compares: []Compare{{Event: 0, Old: 1 << 40}},
		Updates:  []Updated{{Event: 0, Size: 4, Update: Update{UpdateAdd, 1 << 63}}},
		Sent:     []Sent{{Event: 0, Number: 1 << 62}},
		Affects:  []Affect{{Event: 0, Effect: Looks(FactFailed)}},
		Ways: []Way{{G: 2, Op: OpSend, Obj: 1, With: 1, Case: -1, WithCase: 2, Site: 1 << 61,
			WithSite: 5, Step: 1}},
		Crashed: []GID{1},
		Spun:    true,
		Flow: &Flow{
			Nodes: []FlowNode{{}, {FlowRead, 0, 0, 0}, {FlowInput, 0, 7, 0},
				{FlowUnion, 0, 2, uint32(Everything)}, {FlowLess, Bool, 2, 3}},
			Of:      []Label{3},
			Foreign: 4,
			Full:    true,
		},
	}
}

func TestEncodingKeepsEverything(t *testing.T) {
	want := sampleTrace()
	got, err := Decode(want.Append([]byte{})[0:])
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
}

// FuzzDecode: what is no trace is refused, without a panic and without memory for rows that are not
// there.
func FuzzDecode(f *testing.F) {
	whole := sampleTrace().Append(nil)
	f.Add(whole)
	for i := range whole {
		f.Add(whole[:i])
	}
	f.Add([]byte{0, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, b []byte) {
		tr, err := Decode(b)
		if err != nil {
			return
		}
		if again, err := Decode(tr.Append(nil)); err != nil || !reflect.DeepEqual(again, tr) {
			t.Errorf("decoded to %+v, which decodes to %+v (%v)", tr, again, err)
		}
	})
}
