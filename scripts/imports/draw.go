package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Sizes in pixels.
const (
	width, gap, rowGap    = 1000, 30, 46
	lineHeight, charWidth = 16, 6.7
	margin                = 14
)

// A rect is where a box stands, with its lines of text.
type rect struct {
	x, y, w, h float64
	lines      []string
}

// draw returns the picture of g as SVG. Arrows that follow from two others are thin and light.
func draw(g graph) []byte {
	rects, height := layout(g)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" font-family="sans-serif" font-size="12">
<!-- written by go run ./scripts/imports -->
<style>
  rect { fill: #f6f8fa; fill-opacity: .8; stroke: #57606a } text { fill: #1f2328 } .name { font-weight: bold; font-size: 14px }
  line { stroke: #1f2328; stroke-width: 1.4; marker-end: url(#head) } .far { stroke: #b6bec7; stroke-width: 1; marker-end: url(#grey) }
  .up { stroke: #cf222e; stroke-dasharray: 5 4; marker-end: url(#red) }
</style>
<defs>
  <marker id="head" markerWidth="9" markerHeight="7" refX="8" refY="3.5" orient="auto"><path d="M0 0L9 3.5L0 7z" fill="#1f2328"/></marker>
  <marker id="grey" markerWidth="9" markerHeight="7" refX="8" refY="3.5" orient="auto"><path d="M0 0L9 3.5L0 7z" fill="#b6bec7"/></marker>
  <marker id="red" markerWidth="9" markerHeight="7" refX="8" refY="3.5" orient="auto"><path d="M0 0L9 3.5L0 7z" fill="#cf222e"/></marker>
</defs>
<rect x="0" y="0" width="%d" height="%.0f" style="fill: #ffffff; stroke: none"/>
`, width, height, width, height)
	down, up := g.arrows()
	near := reduced(down)
	for k, a := range down {
		class := "near"
		if !near[a] {
			class = "far"
		}
		arrow(&b, class, rects, a, float64(k+1)/float64(len(down)+1))
	}
	for i, r := range rects {
		fmt.Fprintf(&b, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"5\"/>\n",
			r.x, r.y, r.w, r.h)
		x, y := r.x+10, r.y+20
		fmt.Fprintf(&b, "<text class=\"name\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", x, y, boxes[i].name)
		for _, line := range r.lines {
			y += lineHeight
			fmt.Fprintf(&b, "<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", x, y, line)
		}
	}
	for _, a := range up {
		arrow(&b, "up", rects, a, .5)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// layout returns where each box stands, and the height of the picture. The boxes of a row share its
// width.
func layout(g graph) (rects []rect, height float64) {
	rects = make([]rect, len(boxes))
	names := make([][]string, len(boxes))
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		if i := boxOf(pkg); i >= 0 && pkg != "." {
			names[i] = append(names[i], pkg)
		}
	}
	rows := make(map[int][]int)
	for i, b := range boxes {
		rows[b.row] = append(rows[b.row], i)
	}
	height = margin
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		w := (width - 2*margin - gap*float64(len(rows[row])-1)) / float64(len(rows[row]))
		tallest := 0.0
		for k, i := range rows[row] {
			lines := fill(shorten(names[i]), int((w-20)/charWidth))
			x, h := margin+float64(k)*(w+gap), 32+lineHeight*float64(len(lines))
			rects[i] = rect{x, height, w, h, lines}
			tallest = max(tallest, rects[i].h)
		}
		height += tallest + rowGap
	}
	return rects, height - rowGap + margin
}

// shorten leaves out the folder that a package shares with the one before: "rt/hook", "/sched".
func shorten(pkgs []string) []string {
	short := slices.Clone(pkgs)
	for i := 1; i < len(pkgs); i++ {
		if folder, _, _ := strings.Cut(pkgs[i-1], "/"); within(pkgs[i], folder) {
			short[i] = strings.TrimPrefix(pkgs[i], folder)
		}
	}
	return short
}

// fill puts words into lines of so many characters.
func fill(words []string, most int) []string {
	var lines []string
	for _, w := range words {
		if n := len(lines); n > 0 && len(lines[n-1])+2+len(w) <= most {
			lines[n-1] += "  " + w
		} else {
			lines = append(lines, w)
		}
	}
	return lines
}

// reduced returns the arrows that do not follow from two or more others.
func reduced(arrows [][2]int) map[[2]int]bool {
	next := make(map[int][]int)
	for _, a := range arrows {
		next[a[0]] = append(next[a[0]], a[1])
	}
	var reaches func(from, to int) bool
	reaches = func(from, to int) bool {
		return from == to || slices.ContainsFunc(next[from], func(n int) bool { return reaches(n, to) })
	}
	near := make(map[[2]int]bool)
	for _, a := range arrows {
		near[a] = !slices.ContainsFunc(next[a[0]], func(n int) bool { return n != a[1] && reaches(n, a[1]) })
	}
	return near
}

// arrow draws an arrow from one box to another, between the edges that face each other. Where one
// box is above the other the arrow is upright, at a share of the width that they have in common, so
// that no two arrows fall together.
func arrow(b *bytes.Buffer, class string, rects []rect, a [2]int, share float64) {
	from, to := rects[a[0]], rects[a[1]]
	x1, x2 := from.x+from.w*share, to.x+to.w*share
	if lo, hi := max(from.x, to.x), min(from.x+from.w, to.x+to.w); lo < hi {
		x1 = lo + (hi-lo)*share
		x2 = x1
	}
	y1, y2 := from.y+from.h, to.y
	if to.y < from.y {
		y1, y2 = from.y, to.y+to.h
	}
	fmt.Fprintf(b, "<line class=\"%s\" x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\"><title>%s imports %s</title></line>\n",
		class, x1, y1, x2, y2, boxes[a[0]].name, boxes[a[1]].name)
}
