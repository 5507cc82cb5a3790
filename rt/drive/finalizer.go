package drive

import (
	"reflect"

	"heddle/rt/hook"
)

func init() { hook.Finalizer = whileLive }

// whileLive returns a function of f's type that calls f as long as live reports true; f itself if
// it is no function.
func whileLive(f any, live func() bool) any {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return f
	}
	t := v.Type()
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		switch {
		case live() && t.IsVariadic():
			return v.CallSlice(args)
		case live():
			return v.Call(args)
		}
		out := make([]reflect.Value, t.NumOut())
		for i := range out {
			out[i] = reflect.Zero(t.Out(i))
		}
		return out
	}).Interface()
}
