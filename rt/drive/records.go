package drive

import "os"

// recordFile opens the file that Records are appended to.
func recordFile() *os.File {
	f, err := os.OpenFile(config.RecordFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		fatal("cannot open the file of the records: %v", err)
	}
	return f
}
