// Package states lists the functions of the standard library that use state which other functions
// show: the environment, the working directory, what a logger writes to, registered handlers. Their
// packages are quiet (package std's mode.go): their locks and atomics offer no scheduling points.
// These functions do, at their beginning: each is a load or a store of an object that stands for
// the state.
//
// The table is plain data, for package instrument, which puts the hooks into the functions, and for
// package drive, which takes what the functions do inside for commuting: what comes first was
// decided at the hook.
package states

// Visible lists the packages of the standard library whose operations are scheduling points.
var Visible = map[string]bool{
	"sync": true, "sync/atomic": true, "context": true, "time": true, "io": true, "net": true,
	"internal/nettest": true, "internal/gate": true, "slices": true, "maps": true, "sort": true,
}

// A Use says what a function does to which state.
type Use struct {
	Store bool
	// Object is what stands for the state: "" for the receiver, ".f" for what the receiver's field
	// f points to, another word for state of the whole process.
	Object string
	// Opens: what the function does inside may not commute all the same, since it calls the program
	// back.
	Opens bool
	// Whole: the functions of the table that it calls use no other state.
	Whole bool
	// Since is the release of Go that has the function first, such as "go1.27"; "": all have it.
	Since string
}

var (
	load, store = Use{}, Use{Store: true}

	// Functions are the functions, by their names in package runtime's notation.
	Functions = map[string]Use{
		"syscall.Getenv":   {Object: "env"},
		"syscall.Environ":  {Object: "env"},
		"syscall.Setenv":   {Object: "env", Store: true},
		"syscall.Unsetenv": {Object: "env", Store: true},
		"syscall.Clearenv": {Object: "env", Store: true},

		"os.Getwd":         {Object: Dir},
		"os.Chdir":         {Object: Dir, Store: true},
		"os.(*File).Chdir": {Object: Dir, Store: true},

		"log.(*Logger).output":    {Whole: true},
		"log.(*Logger).Flags":     load,
		"log.(*Logger).Prefix":    load,
		"log.(*Logger).Writer":    load,
		"log.(*Logger).SetFlags":  store,
		"log.(*Logger).SetPrefix": store,
		"log.(*Logger).SetOutput": store,

		"log/slog.Default":            {Object: "slog"},
		"log/slog.SetDefault":         {Object: "slog", Store: true},
		"log/slog.(*LevelVar).Level":  load,
		"log/slog.(*LevelVar).Set":    store,
		"log/slog.(*LevelVar).String": load,

		"expvar.Publish":         {Object: "expvar", Store: true},
		"expvar.Get":             {Object: "expvar"},
		"expvar.Do":              {Object: "expvar", Opens: true},
		"expvar.(*Int).Value":    load,
		"expvar.(*Int).String":   load,
		"expvar.(*Int).Add":      store,
		"expvar.(*Int).Set":      store,
		"expvar.(*Float).Value":  load,
		"expvar.(*Float).String": load,
		"expvar.(*Float).Add":    store,
		"expvar.(*Float).Set":    store,
		"expvar.(*String).Value": load,
		"expvar.(*String).Set":   store,
		"expvar.(*Map).Get":      load,
		"expvar.(*Map).Set":      store,
		"expvar.(*Map).Add":      store,
		"expvar.(*Map).AddFloat": store,
		"expvar.(*Map).Delete":   store,
		"expvar.(*Map).Do":       {Opens: true},
		"expvar.(*Map).Init":     store,

		"text/template.(*Template).Lookup":           {Whole: true, Object: ".common"},
		"text/template.(*Template).Templates":        {Whole: true, Object: ".common"},
		"text/template.(*Template).DefinedTemplates": {Whole: true, Object: ".common"},
		"text/template.(*Template).Clone":            {Whole: true, Object: ".common"},
		"text/template.(*Template).execute":          {Whole: true, Object: ".common", Opens: true},
		"text/template.(*Template).AddParseTree":     {Whole: true, Object: ".common", Store: true},
		"text/template.(*Template).Funcs":            {Whole: true, Object: ".common", Store: true},

		"html/template.(*Template).Lookup":                  {Whole: true, Object: ".nameSpace"},
		"html/template.(*Template).Templates":               {Whole: true, Object: ".nameSpace"},
		"html/template.(*Template).escape":                  {Whole: true, Object: ".nameSpace"},
		"html/template.(*Template).lookupAndEscapeTemplate": {Whole: true, Object: ".nameSpace"},
		"html/template.(*Template).Parse":                   {Whole: true, Object: ".nameSpace", Store: true},
		"html/template.(*Template).AddParseTree":            {Whole: true, Object: ".nameSpace", Store: true},
		"html/template.(*Template).Clone":                   {Whole: true, Object: ".nameSpace", Store: true},
		"html/template.(*Template).New":                     {Whole: true, Object: ".nameSpace", Store: true},

		"uuid.NewV7": {Object: "uuid", Store: true, Since: "go1.27"},

		"net/http.(*ServeMux).registerErr":     store,
		"net/http.(*ServeMux).matchOrRedirect": load,
		"net/http.(*ServeMux).matchingMethods": load,
	}

	// inside are functions that only those of the table call.
	inside = map[string]bool{
		"expvar.(*Map).addKey":                true,
		"text/template.(*Template).associate": true, "html/template.(*Template).new": true,
		"html/template.(*Template).checkCanParse": true, "os.(*root).incref": true, "os.(*root).decref": true,
		"text/template.findFunction": true, "text/template.(*Template).Parse": true,
	}
)

// Dir is the object that stands for the working directory.
const Dir = "dir"

// Inside reports whether what a function does inside the standard library needs no scheduling point
// of its own.
func Inside(function string) bool {
	u, ok := Functions[function]
	return ok && !u.Opens || inside[function]
}

// Shown reports whether values of a package's types stand for state: it is to be known where they
// are made.
func Shown(importPath string) bool {
	switch importPath {
	case "log", "log/slog", "expvar", "text/template", "html/template", "net/http", "os":
		return true
	}
	return false
}
