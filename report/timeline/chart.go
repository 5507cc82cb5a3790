package timeline

import (
	"fmt"
	"strings"
)

// A Chart is the growth of a number over time.
type Chart struct {
	Caption string
	Seconds float64 // the end of the axis of time
	Most    int     // the end of the other axis
	Points  []ChartPoint
}

// A ChartPoint is a new value, which holds until the next point.
type ChartPoint struct {
	Seconds float64
	Value   int
}

// Size of a chart on the page.
const (
	ChartWidth  = 360
	ChartHeight = 64
)

// Line returns the line as the path of an SVG: steps from left to right.
func (c *Chart) Line() string {
	var b strings.Builder
	x := func(s float64) float64 { return ChartWidth * min(s/max(c.Seconds, 1e-9), 1) }
	y := func(v int) float64 { return ChartHeight * (1 - float64(v)/float64(max(c.Most, 1))) }
	fmt.Fprintf(&b, "M0 %.1f", y(0))
	for _, p := range c.Points {
		fmt.Fprintf(&b, "H%.1fV%.1f", x(p.Seconds), y(p.Value))
	}
	fmt.Fprintf(&b, "H%d", ChartWidth)
	return b.String()
}

// Width returns the width of the SVG.
func (c *Chart) Width() int { return ChartWidth }

// Height returns the height of the SVG.
func (c *Chart) Height() int { return ChartHeight }

// Axis returns the texts at the ends of the axes.
func (c *Chart) Axis() string { return fmt.Sprintf("0 to %.3g s, 0 to %d", c.Seconds, c.Most) }
