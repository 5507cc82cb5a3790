package setiadi

import "sync"

// A screen is a terminal's (JTelnet, Fig. 17): one goroutine receives characters and moves the
// cursor, another paints. Both read the cursor. Only the receiver writes it and has branches that
// depend on it. Everything else is read-shared. So no interleaving changes a branch.
type screen struct {
	xloc, columns, height, charOffset, lineOffset, topOffset, leftOffset int
	cells                                                                []byte
}

// Telnet receives n characters while another goroutine paints as often.
func Telnet(n int) {
	s := &screen{columns: 8, height: 1, charOffset: 1, lineOffset: 1, topOffset: 2, leftOffset: 3,
		cells: make([]byte, 9)}
	var wg sync.WaitGroup
	wg.Go(func() { s.receive(n) })
	wg.Go(func() {
		for range n {
			s.paint()
		}
	})
	wg.Wait()
}

func (s *screen) receive(n int) {
	for range n {
		if s.xloc >= s.columns {
			s.xloc = 0
		}
		s.xloc++
	}
}

func (s *screen) paint() int {
	return s.leftOffset + s.xloc*s.charOffset + s.topOffset + s.height*s.lineOffset
}
