package drive

import (
	"slices"
	"unsafe"

	"heddle/engine"
	"heddle/rt/counters"
	"heddle/rt/decoded"
	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/rt/wire"
	"heddle/symbolic/corpus"
	"heddle/trace"
)

// Inputs of fuzz targets. Package testing asks here what to call a target with.

// given is what the execution that runs is to call a fuzz target with.
var given struct {
	texts  []string // as in the request
	values []any    // nil: the corpus
	name   string   // of its file in the corpus
	exprs  bool
	tell   bool       // what the corpus is
	corpus [][]string // that was told
	labels []flow.Label

	count, compare bool // branches, and comparisons, from the call on

	draw    uint64   // see wire.Request
	at      int      // so many values were given to properties
	by      uintptr  // the goroutine that called the last property of testing/quick
	told    []string // what the properties of this execution drew, or may
	decoded decoded.Calls
}

// takeInput prepares an execution.
func takeInput(q *wire.Request) error {
	if !slices.Equal(q.Input, given.texts) {
		values := q.Given
		if values == nil {
			var err error
			if values, err = corpus.Values(q.Input); err != nil {
				return err
			}
		}
		given.texts, given.values, given.name = q.Input, values, corpus.Name(corpus.File(q.Input))
		if len(values) == 0 {
			given.values = nil
		}
	}
	given.exprs, given.tell, given.corpus = q.Exprs, q.Corpus, nil
	given.count, given.compare = q.Count, q.Compare
	given.draw, given.at, given.told, given.by = q.Draw, 0, nil, 0
	takeNamed()
	return nil
}

// counted takes what the compiler's counters tell of an execution.
func (x *local) counted(q *wire.Request, ex *engine.Execution) {
	if q.Compare {
		ex.Compared = counters.Watched()
		ex.Decoded, hook.Decode = given.decoded.Take(), nil
	}
	if q.Count {
		ex.Still = q.News != nil && counters.Has(q.News)
		ex.NewBranches, ex.News = x.branches.Add()
	}
}

// concrete returns where values were no longer followed.
func concrete(q *wire.Request) (sites []trace.Site) {
	if q.Exprs {
		for s := range flow.LostAt {
			sites = append(sites, trace.Site(s))
		}
		slices.Sort(sites)
	}
	return sites
}

// FuzzPattern returns which fuzz targets' inputs are searched for, "" if none.
func FuzzPattern() string { return config.Fuzz }

// Input returns what the fuzz target is to be called with, and what a file of the corpus with that
// is called; nil: its corpus.
func Input() (values []any, name string) { return given.values, given.name }

// WantsCorpus reports whether Corpus is to be told what the corpus is.
func WantsCorpus() bool { return given.tell }

// Corpus tells of one entry of the corpus.
func Corpus(values []any) { given.corpus = append(given.corpus, corpus.Texts(values)) }

// Arguments returns a copy of the input for one call, whose bytes are shared with nothing. Where
// expressions are recorded it knows what the input is.
func Arguments() []any {
	given.labels = append(given.labels[:0], 0, 0) // no receiver; the T
	given.at = len(given.values)
	return arguments(given.values, 0)
}

// arguments is Arguments for some values of the input, the first of which has that index. Their
// labels are added to given.labels.
func arguments(values []any, first int) []any {
	if given.count && first == 0 {
		counters.Reset()
	}
	if given.compare && first == 0 {
		counters.Watch()
		hook.Decode = decodes
	}
	out := make([]any, len(values))
	for i, v := range values {
		var l flow.Label
		out[i], l = argument(first+i, v)
		given.labels = append(given.labels, l)
	}
	return out
}

// decodes is told of a decoding.
func decodes(d hook.Decoding) {
	given.decoded.Add(decoded.Call{Format: d.Name, Encode: d.Encode, Decode: d.Codec.Decode, Text: d.Text},
		d.By, d.From, d.To)
}

func argument(i int, v any) (any, flow.Label) {
	switch v := v.(type) {
	case string:
		b := []byte(v)
		if !given.exprs || len(b) == 0 {
			b = append(b, 0)[:len(b)] // memory of its own, if only to have an address
		}
		s := unsafe.String(unsafe.SliceData(b), len(b))
		return s, labelText(i, b)
	case []byte:
		b := append(make([]byte, 0, len(v)), v...)
		return b, labelText(i, b)
	}
	if !given.exprs {
		return v, 0
	}
	n, _ := corpus.Bits(v)
	return v, flow.Input(i, typeOf(v), n)
}

func labelText(i int, b []byte) flow.Label {
	if !given.exprs {
		return 0
	}
	return flow.InputText(i, unsafe.Pointer(unsafe.SliceData(b)), len(b))
}

// typeOf returns the type of a number or bool.
func typeOf(v any) trace.Num {
	switch v.(type) {
	case bool:
		return trace.Bool
	case int:
		return trace.Int
	case int8:
		return trace.NumOf(8, true)
	case int16:
		return trace.NumOf(16, true)
	case int32:
		return trace.NumOf(32, true)
	case int64:
		return trace.NumOf(64, true)
	case float32:
		return trace.Float32
	case float64:
		return trace.Float64
	case uint, uint64:
		return trace.NumOf(64, false)
	case uint8:
		return trace.NumOf(8, false)
	case uint16:
		return trace.NumOf(16, false)
	case uint32:
		return trace.NumOf(32, false)
	}
	panic("heddle: an input of another type")
}

// Pass passes the labels of Arguments to the function that is called next.
func Pass() {
	if given.exprs && hook.Here() {
		flow.Pass(flow.Sig(len(given.labels)-1), given.labels...)
	}
}

// Returned is called when a fuzz target has returned: what testing compares to report that is no
// longer kept.
func Returned() { counters.Watching = false }
