package std

// Package os/signal: once somebody has asked for signals a goroutine waits for them in the runtime, for good. It is outside
// control, but only in executions that ask for signals, and as long as somebody is to be told: later tests are none of its business.
var signalPatch = &pkg{
	added: embedded("signal.go.txt"),
	files: map[string]file{
		"signal.go": {edits: []edit{
			begin("func Notify(c chan<- os.Signal, sig ...os.Signal) {", "heddleNotified()"),
			replace("						go watchSignalLoop()\n", "						heddleStarted = true; go watchSignalLoop()\n"),
		}},
	},
}
