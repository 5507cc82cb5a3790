package classes

import "sync"

// A NumberAxis is V12, of JFreeChart: both ends of its range are set under the
// lock, but one after the other.
type NumberAxis struct {
	mu           sync.Mutex
	lower, upper int
	auto         bool
	ticks        int
}

// NewNumberAxis returns an axis from 0 to 10.
func NewNumberAxis() *NumberAxis { return &NumberAxis{upper: 10, ticks: 5} }

// Lower returns the lower end of the range.
func (a *NumberAxis) Lower() int { return a.get(&a.lower) }

// Upper returns the upper end of the range.
func (a *NumberAxis) Upper() int { return a.get(&a.upper) }

func (a *NumberAxis) get(p *int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return *p
}

func (a *NumberAxis) set(p *int, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	*p = n
}

// SetRange changes the range.
func (a *NumberAxis) SetRange(lower, upper int) {
	if lower >= upper {
		panic("a range with lower above upper")
	}
	a.mu.Lock()
	a.auto = false
	a.mu.Unlock()
	a.set(&a.lower, lower)
	a.set(&a.upper, upper)
}

// TickSize returns how far ticks are apart.
func (a *NumberAxis) TickSize() int {
	lower, upper := a.Lower(), a.Upper()
	if lower >= upper {
		panic("a range with lower above upper")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return (upper - lower) / a.ticks
}

// A PeriodAxis is V13, of JFreeChart: first and last are written without a lock.
type PeriodAxis struct {
	first, last int
	labels      []string
	zone        int
}

// NewPeriodAxis returns an axis for these periods.
func NewPeriodAxis(first, last int) *PeriodAxis { return &PeriodAxis{first: first, last: last} }

// SetRange changes both ends, and with them the labels.
func (a *PeriodAxis) SetRange(first, last int) {
	a.first = first
	a.last = last
	a.labels = nil
}

// Labels returns a label for each period.
func (a *PeriodAxis) Labels() []string {
	a.labels = make([]string, a.last-a.first+1)
	for i := range a.labels {
		a.labels[i] = "period"
	}
	return a.labels
}

// SetZone changes the time zone.
func (a *PeriodAxis) SetZone(z int) { a.zone = z }

// A TimeSeries is V14, of JFreeChart: nothing is locked, and items can be deleted while they are
// counted.
type TimeSeries struct {
	items   []int
	changes int
}

// Add appends an item.
func (s *TimeSeries) Add(x int) {
	s.items = append(s.items, x)
	s.changes++
}

// Delete removes all items.
func (s *TimeSeries) Delete() {
	s.items = nil
	s.changes++
}

// Newest returns the last item, -1 if there is none.
func (s *TimeSeries) Newest() int {
	if n := s.Count(); n > 0 {
		return s.items[n-1]
	}
	return -1
}

// Count returns the number of items.
func (s *TimeSeries) Count() int { return len(s.items) }

// A Plot is V15, XYPlot of JFreeChart: lists of markers are made when they are
// first needed, and removed when they are empty, without a lock.
type Plot struct {
	domain  *markers
	ranges  *markers
	changed int
}

type markers struct{ at []int }

// AddMarker adds a marker to the domain axis.
func (p *Plot) AddMarker(x int) {
	if p.domain == nil {
		p.domain = new(markers)
	}
	p.domain.at = append(p.domain.at, x)
	p.changed++
}

// ClearMarkers removes all markers.
func (p *Plot) ClearMarkers() {
	if p.domain != nil {
		p.domain.at = nil
		p.domain = nil
	}
	if p.ranges != nil {
		p.ranges = nil
	}
	p.changed++
}

// Draw returns where markers are drawn.
func (p *Plot) Draw() []int {
	if p.domain == nil {
		return nil
	}
	out := make([]int, 0, len(p.domain.at))
	return append(out, p.domain.at...)
}

// A Series is V16, XYSeries of JFreeChart: where a number belongs is looked up, and then it is put
// there, without a lock.
type Series struct {
	data []int
	max  int
}

// Add puts x where it belongs.
func (s *Series) Add(x int) {
	i := 0
	for i < len(s.data) && s.data[i] < x {
		i++
	}
	data := append([]int(nil), s.data[:i]...)
	data = append(data, x)
	s.data = append(data, s.data[i:]...)
	s.max = max(s.max, x)
}

// Size returns how many numbers there are.
func (s *Series) Size() int { return len(s.data) }
