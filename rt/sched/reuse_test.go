package sched

import (
	"reflect"
	"testing"
	"unsafe"

	"heddle/rt/policy"
	"heddle/rt/wire"
	"heddle/trace"
)

// What an execution leaves in memory that the next one uses again must not show in it: events,
// steps and objects are filled in field by field, and a field that is added later is easily
// forgotten.

// junk fills v, a struct of any fields, with what is not zero.
func junk(v reflect.Value) {
	for i := range v.NumField() {
		f := reflect.NewAt(v.Field(i).Type(), v.Field(i).Addr().UnsafePointer()).Elem()
		switch f.Kind() {
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Struct:
			if c, ok := f.Addr().Interface().(*trace.Vector); ok {
				c.Set(trace.LowChains, 1)
			} else {
				junk(f)
			}
		default:
			if f.Type().Size() > 8 {
				continue // interfaces
			}
			for j := range f.Type().Size() {
				*(*byte)(unsafe.Add(f.Addr().UnsafePointer(), j)) = 1
			}
		}
	}
}

func TestResetObject(t *testing.T) {
	o := new(object)
	junk(reflect.ValueOf(o).Elem())
	ch := o.ch
	ch.tail, ch.head = 3, 2
	o.reset()
	set := map[string]bool{"id": true, "kind": true, "addr": true, "ref": true, "site": true} // by newObject
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch {
		case set[name], name == "ch":
		case f.Kind() == reflect.Slice && f.Len() == 0, f.IsZero():
		case f.Kind() == reflect.Struct && cleared(f):
		default:
			t.Errorf("%s is still %v", name, f)
		}
	}
	if o.ch != ch || !cleared(reflect.ValueOf(ch).Elem()) {
		t.Errorf("the channel's state was not kept, or is %+v", *ch)
	}
}

// cleared reports whether all fields are zero, or slices without elements.
func cleared(v reflect.Value) bool {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Slice:
			if f.Len() > 0 {
				return false
			}
		case reflect.Struct:
			if !cleared(f) {
				return false
			}
		default:
			if !f.IsZero() {
				return false
			}
		}
	}
	return true
}

func TestReusedEventsAndSteps(t *testing.T) {
	var ev trace.Event
	var st trace.Step
	junk(reflect.ValueOf(&ev).Elem())
	junk(reflect.ValueOf(&st).Elem())
	s := &Sched{t: recorder{counts: new(wire.CrashCounts)}}
	s.gs, s.ready, s.pend = []*G{{}}, *policy.Of(0), []trace.Pending{{Op: trace.OpLock, Site: 7}}
	s.turns.reset()
	s.opt.Schedule = new(trace.Schedule)
	s.t.Events = []trace.Event{ev}[:0]
	s.t.Steps = []trace.Step{st}[:0]
	s.step(0, s.prevReady(), s.Fallback())
	if want := (trace.Step{Op: trace.OpLock, Choice: -1, Site: 7}); s.t.Steps[0] != want {
		t.Errorf("got step %+v, want %+v", s.t.Steps[0], want)
	}
	s.event(s.gs[0], trace.OpLock, nil, 1, 7)
	if want := (trace.Event{Op: trace.OpLock, Partner: -1, Arg: 1, Site: 7}); s.t.Events[0] != want {
		t.Errorf("got event %+v, want %+v", s.t.Events[0], want)
	}
}

// Events beyond those that are kept take no memory; an execution that needs them all ends there.
func TestMostEvents(t *testing.T) {
	events := make([]trace.Event, mostEvents) // nearly all of it is never touched
	for _, exhaustive := range []bool{false, true} {
		s := &Sched{gs: []*G{{}}}
		s.opt.Schedule = &trace.Schedule{Exhaustive: exhaustive}
		s.t.Events = events[:mostEvents-1]
		for i := range int64(3) {
			s.event(s.gs[0], trace.OpLock, nil, i, 7)
		}
		if len(s.t.Events) != mostEvents || s.t.Events[mostEvents-1].Arg != 2 {
			t.Errorf("%d events, the last %+v", len(s.t.Events), s.t.Events[len(s.t.Events)-1])
		}
		if s.over != exhaustive || exhaustive && s.verdict != trace.Bounded {
			t.Errorf("exhaustive %v: over %v, %v", exhaustive, s.over, s.verdict)
		}
	}
}
