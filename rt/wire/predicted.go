package wire

// Predicted is what the prediction from one execution of a test came to.
type Predicted struct {
	Goroutines int
	Locations  int // of memory that goroutines share, one of them writing
	Events     int // of the execution that was recorded

	// Times, in seconds: of an execution without and with memory accesses
	// recorded, of the analysis, of making schedules by moving operations and by the solver, all together.
	Plain, Recorded, Analysis, Scheduling, Solving float64

	Moved      int // schedules made by moving operations, or found not to be possible
	Questions  int // to the solver
	Schedules  int // that were executed
	Executions int // of schedules
	Panics     int // in how many of them the program panicked
	All        []Prediction

	Excluded int // candidates of which the solver has proved that no correct order of the trace has them

	Cut     bool // with Config.Complete: the time was over before all sets of goroutines that could be deadlocked were asked about
	Bounded bool // the recording was cut short: it holds the first Events only
}

// A Prediction is something that was predicted.
type Prediction struct {
	Kind, Pattern string
	Places        []Place
	Verdict       string // Confirmed, Refuted, Untried, Unknown
	Reason        string // of a refutation, or why it is not known
	Active        int    // of Config.Active executions by an active tester, how many showed it
}

// Verdicts on predictions.
const (
	Confirmed = "confirmed" // an execution has shown it
	Refuted   = "refuted"   // no schedule could be made, or none that was made fitted
	Untried   = "untried"   // the time was over
	Unknown   = "unknown"   // the solver did not come to an end
)
