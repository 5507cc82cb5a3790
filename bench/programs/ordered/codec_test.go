package ordered

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// hexToken ends a session by its token, from two devices. The token of the service account has
// sessions that are counted.
func hexToken(t *testing.T, token string, fixed bool) {
	raw, err := hex.DecodeString(token)
	if err != nil || len(raw) != 4 || raw[0] != 0xc0 || raw[3] != raw[1]^raw[2] {
		return
	}
	var mu sync.Mutex
	sessions := map[string]bool{token: true}
	count := 1
	end := func() {
		mu.Lock()
		ok := sessions[token]
		if !fixed {
			mu.Unlock()
			mu.Lock()
		}
		if ok {
			delete(sessions, token)
			count--
		}
		mu.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(end)
	wg.Go(end)
	wg.Wait()
	if count != 0 {
		t.Errorf("%d sessions", count)
	}
}

func FuzzHex(f *testing.F) {
	f.Add("00ff")
	f.Fuzz(func(t *testing.T, token string) { hexToken(t, token, false) })
}

func FuzzHexFixed(f *testing.F) {
	f.Add("00ff")
	f.Fuzz(func(t *testing.T, token string) { hexToken(t, token, true) })
}

// basicAuth reads a header such as Basic dTpw. Logins of root are recorded.
func basicAuth(t *testing.T, header string, fixed bool) {
	encoded, ok := strings.CutPrefix(header, "Basic ")
	if !ok {
		return
	}
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return
	}
	user, password, ok := strings.Cut(string(plain), ":")
	if !ok || user != "root" || len(password) < 2 {
		return
	}
	var last atomic.Value
	last.Store("")
	var wg sync.WaitGroup
	var first atomic.Int32
	login := func(from string) {
		if fixed {
			if last.CompareAndSwap("", from) {
				first.Add(1)
			}
			return
		}
		if last.Load().(string) == "" {
			first.Add(1)
		}
		last.Store(from)
	}
	wg.Go(func() { login("a") })
	wg.Go(func() { login("b") })
	wg.Wait()
	if first.Load() != 1 {
		t.Errorf("%d first logins", first.Load())
	}
}

func FuzzBase64(f *testing.F) {
	f.Add("Basic dTpw")
	f.Fuzz(func(t *testing.T, header string) { basicAuth(t, header, false) })
}

func FuzzBase64Fixed(f *testing.F) {
	f.Add("Basic dTpw")
	f.Fuzz(func(t *testing.T, header string) { basicAuth(t, header, true) })
}

// A packetHeader begins a packet.
type packetHeader struct {
	Version uint8
	Kind    uint8
	Length  uint16
	Stream  uint32
}

// binaryRead handles a packet. One of kind 4 resets its stream while an answer is written.
func binaryRead(data []byte, fixed bool) {
	var h packetHeader
	r := bytes.NewReader(data)
	if err := binary.Read(r, binary.BigEndian, &h); err != nil {
		return
	}
	if h.Version != 2 || h.Kind != 4 || int(h.Length) != r.Len() || h.Stream%2 == 0 {
		return
	}
	out := make(chan uint32, 1)
	var mu sync.Mutex
	open := true
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		open = false
		close(out)
		mu.Unlock()
	})
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if open {
			if !fixed {
				mu.Unlock()
				mu.Lock()
			}
			out <- h.Stream
		}
	})
	wg.Wait()
}

func FuzzBinaryRead(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) { binaryRead(data, false) })
}

func FuzzBinaryReadFixed(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) { binaryRead(data, true) })
}

// crcTrailer appends a record to a log if its checksum, the last four bytes, is right.
func crcTrailer(t *testing.T, data []byte, fixed bool) {
	if len(data) < 6 {
		return
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.ChecksumIEEE(body) != sum || body[0] != 'W' {
		return
	}
	var mu sync.Mutex
	var log []byte
	var offsets [2]int
	var end atomic.Int64
	var wg sync.WaitGroup
	for i := range offsets {
		wg.Go(func() {
			if fixed {
				offsets[i] = int(end.Add(int64(len(body)))) - len(body)
			} else {
				offsets[i] = int(end.Load())
				end.Add(int64(len(body)))
			}
			mu.Lock()
			log = append(log, body...)
			mu.Unlock()
		})
	}
	wg.Wait()
	if offsets[0] == offsets[1] {
		t.Errorf("both at %d of %d", offsets[0], len(log))
	}
}

func FuzzCRC(f *testing.F) {
	f.Add([]byte("hello, world"))
	f.Fuzz(func(t *testing.T, data []byte) { crcTrailer(t, data, false) })
}

func FuzzCRCFixed(f *testing.F) {
	f.Add([]byte("hello, world"))
	f.Fuzz(func(t *testing.T, data []byte) { crcTrailer(t, data, true) })
}

// shardOf returns the shard of a key.
func shardOf(key string) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32() % 64)
}

// fnvShards moves a value from one key to another, and another value back. The last four shards
// have locks; the others are never changed after the start.
func fnvShards(from, to string, fixed bool) {
	a, b := shardOf(from), shardOf(to)
	if a == b || a < 60 || b < 60 {
		return
	}
	var locks [4]sync.Mutex
	move := func(a, b int) {
		if fixed {
			a, b = min(a, b), max(a, b)
		}
		locks[a-60].Lock()
		locks[b-60].Lock()
		locks[b-60].Unlock()
		locks[a-60].Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(func() { move(a, b) })
	wg.Go(func() { move(b, a) })
	wg.Wait()
}

func FuzzFNV(f *testing.F) {
	f.Add("a", "b")
	f.Fuzz(func(t *testing.T, from, to string) { fnvShards(from, to, false) })
}

func FuzzFNVFixed(f *testing.F) {
	f.Add("a", "b")
	f.Fuzz(func(t *testing.T, from, to string) { fnvShards(from, to, true) })
}

// jsonRequest handles a request such as {"op":"get"}. A merge of some depth works in halves.
func jsonRequest(t *testing.T, text string, fixed bool) {
	var req struct {
		Op    string `json:"op"`
		Depth int    `json:"depth"`
		Keys  []int  `json:"keys"`
	}
	if err := json.Unmarshal([]byte(text), &req); err != nil {
		return
	}
	if req.Op != "merge" || req.Depth < 2 || req.Depth > 8 || len(req.Keys) != 2 {
		return
	}
	var mu sync.Mutex
	var merged []int
	var wg sync.WaitGroup
	for _, k := range req.Keys {
		wg.Go(func() {
			mu.Lock()
			merged = append(merged, k)
			mu.Unlock()
		})
		if fixed {
			wg.Wait()
		}
	}
	wg.Wait()
	if !slices.Equal(merged, req.Keys) {
		t.Errorf("%v became %v", req.Keys, merged)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"op":"get","keys":[1]}`)
	f.Fuzz(func(t *testing.T, text string) { jsonRequest(t, text, false) })
}

func FuzzJSONFixed(f *testing.F) {
	f.Add(`{"op":"get","keys":[1]}`)
	f.Fuzz(func(t *testing.T, text string) { jsonRequest(t, text, true) })
}

// An order is for some of an item.
type order struct {
	Item string
	N    int
}

func encodeOrder(o order) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(o); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// gobOrder takes an order out of a stock. Large ones are checked before the stock is locked.
func gobOrder(t *testing.T, data []byte, fixed bool) {
	var o order
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&o); err != nil {
		return
	}
	if o.N < 30 || o.N > 40 || len(o.Item) == 0 {
		return
	}
	stock := int64(o.N)
	var n atomic.Int64
	n.Store(stock)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if fixed {
				if n.CompareAndSwap(stock, 0) {
					return
				}
			} else if n.Load() >= stock {
				n.Add(-stock)
			}
		})
	}
	wg.Wait()
	if n.Load() < 0 {
		t.Errorf("%d of %s left", n.Load(), o.Item)
	}
}

func FuzzGob(f *testing.F) {
	f.Add(encodeOrder(order{"tea", 1}))
	f.Fuzz(func(t *testing.T, data []byte) { gobOrder(t, data, false) })
}

func FuzzGobFixed(f *testing.F) {
	f.Add(encodeOrder(order{"tea", 1}))
	f.Fuzz(func(t *testing.T, data []byte) { gobOrder(t, data, true) })
}

// frame reads a frame: HD, a kind, the length of the body, the body, and the sum of its bytes. A
// frame of kind 7 closes the connection after its body is handled.
func frame(data []byte, fixed bool) {
	if len(data) < 5 || data[0] != 'H' || data[1] != 'D' {
		return
	}
	kind, n := data[2], int(data[3])
	if n < 2 || len(data) != 4+n+1 {
		return
	}
	var sum byte
	for _, c := range data[4 : 4+n] {
		sum += c
	}
	if sum != data[4+n] || kind != 7 {
		return
	}
	bodies := make(chan byte)
	handled := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(handled)
		for range bodies {
		}
	})
	wg.Go(func() {
		bodies <- data[4]
		if fixed {
			close(bodies)
		}
	})
	if !fixed {
		close(bodies) // the body may not have been sent yet
	}
	<-handled
	wg.Wait()
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("HD\x01\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) { frame(data, false) })
}

func FuzzFrameFixed(f *testing.F) {
	f.Add([]byte("HD\x01\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) { frame(data, true) })
}
