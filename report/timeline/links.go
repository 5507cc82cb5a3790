package timeline

import (
	"bytes"
	"fmt"
	"os"
)

// Links lead from the page of a finding to the others of its run. They are names of files in the
// same folder; "" for none.
type Links struct {
	Index, Before, After string
	N, Of                int // the finding's number, and how many there are
}

// noLinks is what Write writes in their place. Text of the program cannot be taken for it, since no
// such text has a "<" on the page.
const noLinks = `<nav class="pages" id="pages"></nav>`

// Link puts links into a file that Write wrote: which findings come before and after is known only
// when all pages of a run are there.
func Link(file string, l Links) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var nav bytes.Buffer
	if err := pages.ExecuteTemplate(&nav, "pages", l); err != nil {
		return err
	}
	before, after, ok := bytes.Cut(page, []byte(noLinks))
	if !ok {
		return fmt.Errorf("%s is no page of a finding, or has links already", file)
	}
	return os.WriteFile(file, bytes.Join([][]byte{before, after}, nav.Bytes()), 0o666)
}
