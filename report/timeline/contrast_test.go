package timeline

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	themes   = regexp.MustCompile(`(?s)(:root[^{]*)\{(.*?)\}`)
	variable = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{3,6});`)
	hues     = regexp.MustCompile(`HUES = \[([0-9, ]+)\]`)
	tones    = regexp.MustCompile(`dark \? "(\d+)% (\d+)%" : "(\d+)% (\d+)%"`)
)

type colour [3]float64 // 0 to 1

func hex(s string) (c colour) {
	s = strings.TrimPrefix(s, "#")
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	for i := range c {
		n, _ := strconv.ParseUint(s[2*i:2*i+2], 16, 8)
		c[i] = float64(n) / 255
	}
	return c
}

func hsl(h, s, l float64) (c colour) {
	a := s * min(l, 1-l)
	for i, n := range []float64{0, 8, 4} {
		k := math.Mod(n+h/30, 12)
		c[i] = l - a*max(-1, min(k-3, 9-k, 1))
	}
	return c
}

// contrast is the ratio of WCAG 2, section "contrast ratio".
func contrast(a, b colour) float64 {
	light := func(c colour) float64 {
		for i, x := range c {
			if x <= 0.04045 {
				c[i] = x / 12.92
			} else {
				c[i] = math.Pow((x+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Text of each colour can be read on each ground that it stands on, in both themes: 4.5 for text, 3
// for what is no text (WCAG 2, level AA).
func TestContrast(t *testing.T) {
	css, js := asset("page.css"), asset("base.js")
	if got := contrast(hex("#fff"), hex("#767676")); math.Abs(got-4.54) > 0.01 {
		t.Fatalf("the contrast of white and #767676 is 4.54, not %.2f", got)
	}
	tone := tones.FindStringSubmatch(js)
	list := hues.FindStringSubmatch(js)
	if tone == nil || list == nil {
		t.Fatal("base.js has no colours of goroutines")
	}
	number := func(s string) float64 { n, _ := strconv.ParseFloat(strings.TrimSpace(s), 64); return n }
	for i, dark := range []bool{false, true} {
		vars := map[string]colour{}
		for _, m := range variable.FindAllStringSubmatch(themes.FindAllStringSubmatch(css, -1)[i][2], -1) {
			vars[m[1]] = hex(m[2])
		}
		check := func(least float64, text string, grounds ...string) {
			for _, g := range grounds {
				a, ok := vars[text]
				b, ok2 := vars[g]
				if r := contrast(a, b); !ok || !ok2 || r < least {
					t.Errorf("dark %v: %s on %s has %.2f, want %v", dark, text, g, r, least)
				}
			}
		}
		for _, text := range []string{"text", "dim"} {
			check(4.5, text, "bg", "card", "sunk", "accent-soft", "bad-soft")
		}
		check(4.5, "accent", "bg", "card", "sunk", "accent-soft")
		check(4.5, "bad", "card", "bad-soft")
		check(4.5, "good", "bg", "card", "bad-soft")
		check(4.5, "warn", "card", "warn-soft", "accent-soft")
		check(4.5, "card", "bad") // numbers in marks
		for _, code := range []string{"kw", "str", "com", "num", "text"} {
			check(4.5, code, "sunk", "bad-soft", "accent-soft")
		}
		sat, light := number(tone[3])/100, number(tone[4])/100
		if dark {
			sat, light = number(tone[1])/100, number(tone[2])/100
		}
		for _, h := range strings.Split(list[1], ",") {
			name := fmt.Sprintf("the goroutine of hue%s", h)
			vars[name] = hsl(number(h), sat, light)
			check(3, name, "card")
		}
	}
}
