// Package encodes is a test suite that hashes, encrypts, compresses and encodes. go run ./bench
// -std measures heddle's cost on it.
package encodes

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// both runs f n times in each of two goroutines, and adds up the results under a lock.
func both(t *testing.T, n int, f func(k int) int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	sum := 0
	for k := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range n {
				x := f(k)
				mu.Lock()
				sum += x
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	if sum == 0 {
		t.Error("nothing was made")
	}
}

func text(n int) []byte {
	r := rand.New(rand.NewSource(1))
	words := []string{"goroutine", "channel", "lock", "buffer", "the", "of", "a", "interleaving", "\n"}
	var b bytes.Buffer
	for b.Len() < n {
		b.WriteString(words[r.Intn(len(words))])
		b.WriteByte(' ')
	}
	return b.Bytes()[:n]
}

var (
	kilo = text(1 << 10)
	big  = text(64 << 10)
)

func TestSHA256(t *testing.T) {
	both(t, 40, func(k int) int { h := sha256.New(); h.Write(big); return int(h.Sum(nil)[0]) + 1 })
}

func TestSmallHash(t *testing.T) {
	both(t, 40, func(k int) int {
		n := 1
		for i := range 100 {
			s := sha256.Sum256(kilo[i : i+64])
			n += int(s[0])
			h := sha256.New()
			h.Write(kilo[i : i+32])
			n += int(h.Sum(s[:0])[0])
		}
		return n
	})
}

func TestFNV(t *testing.T) {
	both(t, 40, func(k int) int {
		n := 1
		for i := range 200 {
			h := fnv.New64a()
			h.Write(kilo[i : i+32])
			n += int(h.Sum64() & 0xff)
		}
		return n
	})
}

func TestFNVBytes(t *testing.T) {
	both(t, 40, func(k int) int {
		h := fnv.New32a()
		for _, b := range kilo {
			h.Write([]byte{b})
		}
		return int(h.Sum32()&0xff) + 1
	})
}

func TestCRC32(t *testing.T) {
	both(t, 40, func(k int) int {
		n := 1
		for i := range 100 {
			n += int(crc32.ChecksumIEEE(kilo[i:i+100]) & 0xff)
			h := crc32.NewIEEE()
			h.Write(kilo[i:])
			n += int(h.Sum32() & 0xff)
		}
		return n
	})
}

func TestAESGCM(t *testing.T) {
	both(t, 40, func(k int) int {
		b, _ := aes.NewCipher(kilo[:16])
		g, _ := cipher.NewGCM(b)
		n := 1
		for i := range 50 {
			out := g.Seal(nil, kilo[i:i+12], kilo, kilo[:10])
			in, err := g.Open(nil, kilo[i:i+12], out, kilo[:10])
			if err != nil {
				panic(err)
			}
			n += len(in)
		}
		return n
	})
}

func TestGzip(t *testing.T) {
	both(t, 4, func(k int) int {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(big[:16<<10])
		w.Close()
		r, err := gzip.NewReader(&b)
		if err != nil {
			panic(err)
		}
		out, _ := io.ReadAll(r)
		return len(out)
	})
}

func TestFlate(t *testing.T) {
	both(t, 4, func(k int) int {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, 1)
		for i := 0; i < 8; i++ {
			fmt.Fprintf(w, "%s", kilo)
		}
		w.Close()
		out, _ := io.ReadAll(flate.NewReader(&b))
		return len(out)
	})
}

type item struct {
	Name  string            `json:"name" xml:"name"`
	Price float64           `json:"price" xml:"price"`
	Tags  []string          `json:"tags" xml:"tags"`
	Attrs map[string]string `json:"attrs" xml:"-"`
	Data  []byte            `json:"data" xml:"data"`
	Sub   *item             `json:"sub,omitempty" xml:"sub"`
}

func items(k int) []item {
	var out []item
	for i := range 10 {
		out = append(out,
			item{Name: fmt.Sprint("item ", i, k), Price: float64(i) * 1.5, Tags: []string{"a", "b", "c"},
				Attrs: map[string]string{"x": "1", "y": "2"}, Data: kilo[:32], Sub: &item{Name: "sub"}})
	}
	return out
}

func TestJSON(t *testing.T) {
	both(t, 4, func(k int) int {
		b, err := json.Marshal(items(k))
		if err != nil {
			panic(err)
		}
		var back []item
		if err := json.Unmarshal(b, &back); err != nil {
			panic(err)
		}
		return len(back)
	})
}

func TestJSONStream(t *testing.T) {
	both(t, 4, func(k int) int {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		for _, it := range items(k) {
			e.Encode(it)
		}
		d := json.NewDecoder(&b)
		n := 0
		for d.More() {
			var m map[string]any
			if err := d.Decode(&m); err != nil {
				panic(err)
			}
			n++
		}
		return n
	})
}

func TestBase64(t *testing.T) {
	both(t, 4, func(k int) int {
		s := base64.StdEncoding.EncodeToString(kilo)
		b, _ := base64.StdEncoding.DecodeString(s)
		x := hex.EncodeToString(b)
		y, _ := hex.DecodeString(x)
		return len(y)
	})
}

func TestGob(t *testing.T) {
	both(t, 40, func(k int) int {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(items(k)); err != nil {
			panic(err)
		}
		var back []item
		if err := gob.NewDecoder(&b).Decode(&back); err != nil {
			panic(err)
		}
		return len(back)
	})
}

func TestXML(t *testing.T) {
	both(t, 40, func(k int) int {
		b, err := xml.Marshal(items(k)[0])
		if err != nil {
			panic(err)
		}
		var back item
		if err := xml.Unmarshal(b, &back); err != nil {
			panic(err)
		}
		return len(back.Name)
	})
}

func TestPNG(t *testing.T) {
	both(t, 4, func(k int) int {
		m := image.NewRGBA(image.Rect(0, 0, 48, 48))
		for y := range 48 {
			for x := range 48 {
				m.SetRGBA(x, y, color.RGBA{byte(x * y), byte(x), byte(y), 255})
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			panic(err)
		}
		back, err := png.Decode(&b)
		if err != nil {
			panic(err)
		}
		return back.Bounds().Dx()
	})
}

var re = regexp.MustCompile(`(go)?routine|l([aeiou])ck|b.ff(er)+`)

func TestRegexp(t *testing.T) {
	both(t, 40, func(k int) int {
		n := len(re.FindAllIndex(kilo, -1))
		n += len(re.ReplaceAllString(string(kilo[:200]), "<$0>"))
		return n
	})
}

func TestRegexpSmall(t *testing.T) {
	both(t, 40, func(k int) int {
		n := 1
		for i := range 50 {
			if re.Match(kilo[i : i+40]) {
				n++
			}
			if re.MatchString("a lock") {
				n++
			}
		}
		return n
	})
}

func TestFmt(t *testing.T) {
	both(t, 4, func(k int) int {
		n := 0
		for i := range 100 {
			n += len(fmt.Sprintf("%d %s %v %x %5.2f", i, "text", []int{1, 2, 3}, kilo[:8], float64(i)))
			var b strings.Builder
			fmt.Fprintf(&b, "%q %+v", "quoted", struct{ A, B int }{1, 2})
			n += b.Len()
		}
		return n
	})
}

func TestStrconv(t *testing.T) {
	both(t, 40, func(k int) int {
		n := 0
		var buf []byte
		for i := range 300 {
			s := strconv.Itoa(i * 7919)
			v, _ := strconv.Atoi(s)
			f, _ := strconv.ParseFloat("3.25", 64)
			buf = strconv.AppendInt(buf[:0], int64(v), 10)
			buf = strconv.AppendFloat(buf, f, 'g', -1, 64)
			buf = strconv.AppendQuote(buf, s)
			n += len(buf)
		}
		return n
	})
}

// TestNothing measures the cost of a run without a test.
func TestNothing(t *testing.T) {}
