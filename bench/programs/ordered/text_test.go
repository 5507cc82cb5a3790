package ordered

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// parseBool has a producer that signals without the lock if it is told to be fast.
func parseBool(option string, fixed bool) {
	fast, err := strconv.ParseBool(option)
	if err != nil || !fast {
		return
	}
	var mu sync.Mutex
	ready := sync.NewCond(&mu)
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		for !done.Load() {
			ready.Wait()
		}
	})
	wg.Go(func() {
		if fixed {
			mu.Lock()
			defer mu.Unlock()
		}
		done.Store(true)
		ready.Signal()
	})
	wg.Wait()
}

func FuzzParseBool(f *testing.F) {
	f.Add("no")
	f.Fuzz(func(t *testing.T, option string) { parseBool(option, false) })
}

func FuzzParseBoolFixed(f *testing.F) {
	f.Add("no")
	f.Fuzz(func(t *testing.T, option string) { parseBool(option, true) })
}

// parseFloat reads a rate of samples. From a half on, two collectors share a buffer.
func parseFloat(t *testing.T, text string, fixed bool) {
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate > 0.5 && rate < 0.625) {
		return
	}
	var mu sync.Mutex
	var buffer []float64
	collect := func(v float64) {
		mu.Lock()
		b := append(buffer, v*rate)
		if !fixed {
			mu.Unlock()
			mu.Lock()
		}
		buffer = b
		mu.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(func() { collect(1) })
	wg.Go(func() { collect(2) })
	wg.Wait()
	if len(buffer) != 2 {
		t.Errorf("%d samples of 2", len(buffer))
	}
}

func FuzzParseFloat(f *testing.F) {
	f.Add("1.0")
	f.Fuzz(func(t *testing.T, text string) { parseFloat(t, text, false) })
}

func FuzzParseFloatFixed(f *testing.F) {
	f.Add("1.0")
	f.Fuzz(func(t *testing.T, text string) { parseFloat(t, text, true) })
}

// itoa starts a server on the port of the old one, and stops that one at the same time.
func itoa(t *testing.T, port int, fixed bool) {
	if strconv.Itoa(port) != "8443" {
		return
	}
	var listening atomic.Int32
	stopped := make(chan struct{})
	listening.Add(1)
	var wg sync.WaitGroup
	wg.Go(func() {
		listening.Add(-1)
		close(stopped)
	})
	wg.Go(func() {
		if fixed {
			<-stopped
		}
		if listening.Add(1) > 1 {
			t.Error("address in use")
		}
	})
	wg.Wait()
}

func FuzzItoa(f *testing.F) {
	f.Add(80)
	f.Fuzz(func(t *testing.T, port int) { itoa(t, port, false) })
}

func FuzzItoaFixed(f *testing.F) {
	f.Add(80)
	f.Fuzz(func(t *testing.T, port int) { itoa(t, port, true) })
}

// appendKey caches by a key that is put together from the request, and loads once for each key.
func appendKey(t *testing.T, user int64, admin bool, fixed bool) {
	key := strconv.AppendInt([]byte("u:"), user, 16)
	key = append(key, ':')
	key = strconv.AppendBool(key, admin)
	var mu sync.Mutex
	cache := map[string]int{"u:1:false": 1}
	loads := 0
	get := func() {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := cache[string(key)]; ok {
			return
		}
		if string(key) == "u:1f4:true" && !fixed {
			mu.Unlock()
			mu.Lock()
		}
		loads++
		cache[string(key)] = loads
	}
	var wg sync.WaitGroup
	wg.Go(get)
	wg.Go(get)
	wg.Wait()
	if loads > 1 {
		t.Errorf("loaded %d times", loads)
	}
}

func FuzzAppendKey(f *testing.F) {
	f.Add(int64(1), false)
	f.Fuzz(func(t *testing.T, user int64, admin bool) { appendKey(t, user, admin, false) })
}

func FuzzAppendKeyFixed(f *testing.F) {
	f.Add(int64(1), false)
	f.Fuzz(func(t *testing.T, user int64, admin bool) { appendKey(t, user, admin, true) })
}

// sprintf looks up a node by its name, which the region and the number make. The node that moves
// is read while it is replaced.
func sprintf(region string, id int, fixed bool) {
	name := fmt.Sprintf("%s-%04d", region, id)
	type node struct{ load int }
	nodes := map[string]*node{"eu-0007": {1}, "eu-0042": {2}}
	n, ok := nodes[name]
	if !ok || name != "eu-0042" {
		return
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		n.load = 0
		mu.Unlock()
	})
	wg.Go(func() {
		if fixed {
			mu.Lock()
			defer mu.Unlock()
		}
		if n.load > 1 {
			n.load--
		}
	})
	wg.Wait()
}

func FuzzSprintf(f *testing.F) {
	f.Add("us", 1)
	f.Fuzz(func(t *testing.T, region string, id int) { sprintf(region, id, false) })
}

func FuzzSprintfFixed(f *testing.F) {
	f.Add("us", 1)
	f.Fuzz(func(t *testing.T, region string, id int) { sprintf(region, id, true) })
}

// sscanf serves a range of a file that is truncated at the same time.
func sscanf(header string, fixed bool) {
	var from, to int
	if n, err := fmt.Sscanf(header, "bytes=%d-%d", &from, &to); n != 2 || err != nil {
		return
	}
	if from < 0 || to < from || to > 999 || to-from != 499 {
		return
	}
	var mu sync.RWMutex
	file := make([]byte, 1000)
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		file = file[:100:100]
		mu.Unlock()
	})
	wg.Go(func() {
		mu.RLock()
		defer mu.RUnlock()
		size := len(file)
		if !fixed {
			mu.RUnlock()
			mu.RLock()
		}
		if to < size {
			_ = file[from : to+1]
		}
	})
	wg.Wait()
}

func FuzzSscanf(f *testing.F) {
	f.Add("bytes=0-9")
	f.Fuzz(func(t *testing.T, header string) { sscanf(header, false) })
}

func FuzzSscanfFixed(f *testing.F) {
	f.Add("bytes=0-9")
	f.Fuzz(func(t *testing.T, header string) { sscanf(header, true) })
}

// netipAddr limits connections by address. Addresses of the private net 10.1.0.0/16 share one
// limit.
func netipAddr(t *testing.T, text string, fixed bool) {
	addr, err := netip.ParseAddr(text)
	if err != nil || !netip.MustParsePrefix("10.1.0.0/16").Contains(addr) {
		return
	}
	const limit = 1
	var open, refused atomic.Int32
	connect := func() {
		if fixed {
			if open.Add(1) > limit {
				open.Add(-1)
				refused.Add(1)
			}
			return
		}
		if open.Load() >= limit {
			refused.Add(1)
			return
		}
		open.Add(1)
	}
	var wg sync.WaitGroup
	wg.Go(connect)
	wg.Go(connect)
	wg.Wait()
	if open.Load() > limit {
		t.Errorf("%d connections of %s", open.Load(), addr)
	}
}

func FuzzNetip(f *testing.F) {
	f.Add("1.2.3.4")
	f.Fuzz(func(t *testing.T, text string) { netipAddr(t, text, false) })
}

func FuzzNetipFixed(f *testing.F) {
	f.Add("1.2.3.4")
	f.Fuzz(func(t *testing.T, text string) { netipAddr(t, text, true) })
}

// pathClean serves files. What is below /var is removed while it is served.
func pathClean(t *testing.T, name string, fixed bool) {
	clean := path.Clean("/" + name)
	if path.Dir(clean) != "/var" || path.Ext(clean) != ".db" {
		return
	}
	var mu sync.Mutex
	files := map[string]*int{clean: new(int)}
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		delete(files, clean)
		mu.Unlock()
	})
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		_, ok := files[clean]
		if !fixed {
			mu.Unlock()
			mu.Lock()
		}
		if ok {
			*files[clean]++
		}
	})
	wg.Wait()
}

func FuzzPath(f *testing.F) {
	f.Add("index.html")
	f.Fuzz(func(t *testing.T, name string) { pathClean(t, name, false) })
}

func FuzzPathFixed(f *testing.F) {
	f.Add("index.html")
	f.Fuzz(func(t *testing.T, name string) { pathClean(t, name, true) })
}

// urlParse opens a source by its URL. A store in memory is opened once.
func urlParse(t *testing.T, text string, fixed bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "mem" || u.Host == "" || u.Query().Get("shared") != "1" {
		return
	}
	var mu sync.Mutex
	stores := map[string]*int{}
	open := func() *int {
		mu.Lock()
		s := stores[u.Host]
		if s == nil {
			if !fixed {
				mu.Unlock()
				mu.Lock()
			}
			s = new(int)
			stores[u.Host] = s
		}
		mu.Unlock()
		return s
	}
	var got [2]*int
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = open() })
	}
	wg.Wait()
	if got[0] != got[1] {
		t.Errorf("two stores for %s", u.Host)
	}
}

func FuzzURL(f *testing.F) {
	f.Add("http://a/b")
	f.Fuzz(func(t *testing.T, text string) { urlParse(t, text, false) })
}

func FuzzURLFixed(f *testing.F) {
	f.Add("http://a/b")
	f.Fuzz(func(t *testing.T, text string) { urlParse(t, text, true) })
}

// csvRecords books the lines of a file. A refund is booked by a goroutine of its own.
func csvRecords(t *testing.T, text string, fixed bool) {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) > 4 {
		return
	}
	var mu sync.Mutex
	balance, want := 0, 0
	var wg sync.WaitGroup
	for _, r := range records {
		if len(r) != 3 {
			return
		}
	}
	for _, r := range records {
		n, err := strconv.Atoi(r[2])
		if err != nil || n < 1 || n > 1000 {
			continue
		}
		switch r[1] {
		case "sale":
			mu.Lock()
			balance += n
			mu.Unlock()
			want += n
		case "refund":
			want -= n
			wg.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				b := balance
				if !fixed {
					mu.Unlock()
					mu.Lock()
				}
				balance = b - n
			})
		}
	}
	wg.Wait()
	if balance != want {
		t.Errorf("balance %d, want %d", balance, want)
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("1,sale,10\n")
	f.Fuzz(func(t *testing.T, text string) { csvRecords(t, text, false) })
}

func FuzzCSVFixed(f *testing.F) {
	f.Add("1,sale,10\n")
	f.Fuzz(func(t *testing.T, text string) { csvRecords(t, text, true) })
}

// keyValue reads options such as host=a;port=80.
func keyValue(t *testing.T, options string, fixed bool) {
	port, mode := 0, ""
	for part := range strings.SplitSeq(options, ";") {
		k, v, _ := strings.Cut(part, "=")
		switch strings.TrimSpace(k) {
		case "port":
			n, err := strconv.Atoi(v)
			if err != nil {
				return
			}
			port = n
		case "mode":
			mode = v
		}
	}
	if port < 1024 || mode != "tls" {
		return
	}
	config := atomic.Pointer[string]{}
	loaded := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		certificate := "cert"
		config.Store(&certificate)
		close(loaded)
	})
	wg.Go(func() {
		if fixed {
			<-loaded
		}
		if config.Load() == nil {
			t.Errorf("port %d: no certificate yet", port)
		}
	})
	wg.Wait()
}

func FuzzKeyValue(f *testing.F) {
	f.Add("host=a")
	f.Fuzz(func(t *testing.T, options string) { keyValue(t, options, false) })
}

func FuzzKeyValueFixed(f *testing.F) {
	f.Add("host=a")
	f.Fuzz(func(t *testing.T, options string) { keyValue(t, options, true) })
}

// fields executes a line such as SET ttl 5.
func fields(t *testing.T, line string, fixed bool) {
	words := strings.Fields(line)
	if len(words) != 3 || !strings.EqualFold(words[0], "set") {
		return
	}
	if strings.TrimPrefix(words[1], "x-") != "ttl" || !strings.Contains(words[2], "5") {
		return
	}
	values := make(chan string)
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if fixed {
			select {
			case values <- words[2]:
			case <-quit:
			}
		} else {
			values <- words[2]
		}
	})
	wg.Go(func() { close(quit) })
	select {
	case <-values:
	case <-quit: // the setter is left behind
	}
	wg.Wait()
}

func FuzzFields(f *testing.F) {
	f.Add("get a")
	f.Fuzz(func(t *testing.T, line string) { fields(t, line, false) })
}

func FuzzFieldsFixed(f *testing.F) {
	f.Add("get a")
	f.Fuzz(func(t *testing.T, line string) { fields(t, line, true) })
}

// tokens splits an expression such as 12+x into numbers, names and operators: n, a and o.
func tokens(text string) string {
	var kinds []byte
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ':
			i++
			continue
		case c >= '0' && c <= '9':
			for i < len(text) && text[i] >= '0' && text[i] <= '9' {
				i++
			}
			kinds = append(kinds, 'n')
		case c >= 'a' && c <= 'z':
			for i < len(text) && text[i] >= 'a' && text[i] <= 'z' {
				i++
			}
			kinds = append(kinds, 'a')
		case c == '+' || c == '*' || c == '=':
			i++
			kinds = append(kinds, 'o')
		default:
			return ""
		}
	}
	return string(kinds)
}

// scanLoop evaluates an assignment: the name is interned by two goroutines.
func scanLoop(t *testing.T, text string, fixed bool) {
	if tokens(text) != "aonoa" || !strings.ContainsRune(text, '*') {
		return
	}
	var names sync.Map
	var next atomic.Int32
	intern := func(name string) int32 {
		if id, ok := names.Load(name); ok {
			return id.(int32)
		}
		id := next.Add(1)
		if fixed {
			kept, _ := names.LoadOrStore(name, id)
			return kept.(int32)
		}
		names.Store(name, id)
		return id
	}
	var ids [2]int32
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() { ids[i] = intern("x") })
	}
	wg.Wait()
	if ids[0] != ids[1] {
		t.Errorf("one name, numbers %v", ids)
	}
}

func FuzzScanLoop(f *testing.F) {
	f.Add("1+2")
	f.Fuzz(func(t *testing.T, text string) { scanLoop(t, text, false) })
}

func FuzzScanLoopFixed(f *testing.F) {
	f.Add("1+2")
	f.Fuzz(func(t *testing.T, text string) { scanLoop(t, text, true) })
}

// protocol runs the commands of a session, one a line. A commit inside of a transaction with two
// writes is flushed in the background.
func protocol(t *testing.T, session string, fixed bool) {
	var mu sync.Mutex
	var stored, flushed int
	state, writes := "idle", 0
	var wg sync.WaitGroup
	for i, line := range strings.Split(session, "\n") {
		if i > 8 {
			break
		}
		verb, arg, _ := strings.Cut(line, " ")
		switch {
		case verb == "begin" && state == "idle":
			state, writes = "open", 0
		case verb == "put" && state == "open" && arg != "":
			writes++
		case verb == "commit" && state == "open":
			state = "idle"
			if writes < 2 {
				continue
			}
			mu.Lock()
			stored += writes
			if fixed {
				flushed = stored
			}
			mu.Unlock()
			if !fixed {
				wg.Go(func() {
					mu.Lock()
					flushed = stored
					mu.Unlock()
				})
			}
		case verb == "stat":
			mu.Lock()
			if flushed != stored {
				t.Errorf("%d of %d flushed", flushed, stored)
			}
			mu.Unlock()
		}
	}
	wg.Wait()
}

func FuzzProtocol(f *testing.F) {
	f.Add("begin\nput a\ncommit")
	f.Fuzz(func(t *testing.T, session string) { protocol(t, session, false) })
}

func FuzzProtocolFixed(f *testing.F) {
	f.Add("begin\nput a\ncommit")
	f.Fuzz(func(t *testing.T, session string) { protocol(t, session, true) })
}

// scanner reads a configuration with sections. In the section [pool] the size is the number of
// workers; they are told to stop by one value each.
func scanner(text string, fixed bool) {
	section, size := "", 0
	s := bufio.NewScanner(strings.NewReader(text))
	for s.Scan() {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = line[1 : len(line)-1]
			continue
		}
		if k, v, ok := strings.Cut(line, ":"); ok && section == "pool" && k == "size" {
			size, _ = strconv.Atoi(strings.TrimSpace(v))
		}
	}
	if size != 3 {
		return
	}
	stop := make(chan struct{}, size)
	work := make(chan int, 1)
	work <- 1
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-work:
					if !fixed {
						<-stop // takes the other's as well
					}
				case <-stop:
					return
				}
			}
		})
	}
	stop <- struct{}{}
	stop <- struct{}{}
	wg.Wait()
}

func FuzzScanner(f *testing.F) {
	f.Add("# nothing\n[log]\nlevel: 1\n")
	f.Fuzz(func(t *testing.T, text string) { scanner(text, false) })
}

func FuzzScannerFixed(f *testing.F) {
	f.Add("# nothing\n[log]\nlevel: 1\n")
	f.Fuzz(func(t *testing.T, text string) { scanner(text, true) })
}
