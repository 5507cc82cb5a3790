package std

// Package os/signal: after a request for signals a goroutine waits for them in the runtime until
// the process ends. It is outside control, but only in executions that request signals, and only
// while a channel is to be notified: it does not concern later tests.
var signalPatch = &pkg{
	added: embedded("signal.go.txt"),
	files: map[string]file{
		"signal.go": {edits: []edit{
			begin("func Notify(c chan<- os.Signal, sig ...os.Signal) {", "heddleNotified()"),
			replace("						go watchSignalLoop()\n",
				"						heddleStarted = true; go watchSignalLoop()\n"),
		}},
	},
}
