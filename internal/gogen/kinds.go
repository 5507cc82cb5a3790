package gogen

// kinds are the kinds of shared objects.
var kinds = []kind{
	// channels
	{name: "ch", decl: "$ := make(chan int, $n)", show: "l.N(len($))"},
	{name: "nc", decl: "var $ chan int"},
	{name: "dn", decl: "$ := make(chan struct{})"},
	{name: "cs", decl: "$ := make(chan string, $n)", show: "l.N(len($))"},
	{name: "cc", decl: "$ := make(chan chan int, $n)", show: "l.N(len($))"},

	// locks and objects built from them
	{name: "mu", decl: "var $ sync.Mutex"},
	{name: "rw", decl: "var $ sync.RWMutex"},
	{name: "cd", decl: "$ := sync.NewCond(new(sync.Mutex)); $V := 0", show: "l.N($V)"},
	{name: "on", decl: "var $ sync.Once; var $V int"},
	{name: "of", decl: "var $V atomic.Int32; $ := sync.OnceValue(func() int { return int($V.Add(1)) })", show: "l.N(int($V.Load()))"},
	{name: "wg", decl: "var $ sync.WaitGroup"},
	{name: "sm", decl: "var $ sync.Map", show: "$.Range(func(k, v any) bool { return true }); for k := range 3 { v, ok := $.Load(k); l.S(fmt.Sprint(v, ok)) }"},
	{name: "pl", decl: "$ := sync.Pool{New: func() any { return new(int) }}"},
	{name: "eg", decl: "var $ Group"},
	{name: "qu", decl: "$ := NewQueue[int]($n+1)", show: "l.N($.Len())"},
	{name: "sk", decl: "var $ Stack[int]", show: "l.S(fmt.Sprint($.All()))"},
	{name: "se", decl: "$ := make(Sem, 1+$n)"},
	{name: "ba", decl: "$ := NewBarrier(2)"},

	// atomics
	{name: "ai", decl: "var $ atomic.Int32", show: "l.N(int($.Load()))"},
	{name: "an", decl: "var $ int64", show: "l.N(int(atomic.LoadInt64(&$)))"},
	{name: "au", decl: "var $ [2]atomic.Uint64", show: "l.N(int($[0].Load())); l.N(int($[1].Load()))"},
	{name: "ab", decl: "var $ atomic.Bool", show: "l.B($.Load())"},
	{name: "ap", decl: "var $ atomic.Pointer[T]", show: "if v := $.Load(); v != nil { l.N(v.A) }"},
	{name: "av", decl: "var $ atomic.Value", show: "l.S(fmt.Sprint($.Load()))"},

	// plain memory
	{name: "x", decl: "$ := 1", show: "l.N($)", plain: true},
	{name: "s", decl: "$ := \"a\"", show: "l.S($)", plain: true},
	{name: "fl", decl: "$ := 1.5", show: "l.S(fmt.Sprint($))", plain: true},
	{name: "bo", decl: "$ := false", show: "l.B($)", plain: true},
	{name: "m", decl: "$ := map[int]int{0: 1}", show: "l.S(fmt.Sprint($))", plain: true},
	{name: "mm", decl: "$ := map[string]map[int]string{\"a\": {1: \"x\"}}", show: "l.S(fmt.Sprint($))",
		plain: true},
	{name: "sl", decl: "$ := []int{3, 1, 2}", show: "l.S(fmt.Sprint($))", plain: true},
	{name: "sc", decl: "$ := make([]int, 1, 4)", show: "l.S(fmt.Sprint($, cap($) >= 4))", plain: true},
	{name: "by", decl: "$ := []byte(\"hello, heddle\")", show: "l.S(string($))", plain: true},
	{name: "ar", decl: "var $ [3]int", show: "l.S(fmt.Sprint($))", plain: true},
	{name: "st", decl: "var $ T", show: "l.S($.String())", plain: true},
	{name: "pt", decl: "$ := &T{A: 1}", show: "l.S($.String())", plain: true},
	{name: "sh", decl: "var $ Shape = Square{2}", show: "l.N($.Area())", plain: true},
	{name: "fn", decl: "$ := func(v int) int { return v + 1 }", show: "l.N($(1))", plain: true},
	{name: "bx", decl: "var $ Box[int]", show: "l.S(fmt.Sprint($.Get()))", plain: true},
	{name: "ay", decl: "var $ any = 1", show: "l.S(fmt.Sprint($))", plain: true},
	{name: "er", decl: "var $ error", show: "l.S(fmt.Sprint($))", plain: true},
	{name: "ls", decl: "$ := list.New()",
		show: "for e := $.Front(); e != nil; e = e.Next() { l.N(e.Value.(int)) }", plain: true},
	{name: "hp", decl: "$ := &Heap{5, 7, 9}", show: "l.S(fmt.Sprint(*$))", plain: true},
	{name: "tr", decl: "var $ *Tree", show: "for v := range $.All() { l.N(v) }", plain: true},

	// of the standard library, not safe for concurrent use
	{name: "sb", decl: "var $ strings.Builder", show: "l.S($.String())", plain: true},
	{name: "bb", decl: "var $ bytes.Buffer", show: "l.S($.String())", plain: true},
	{name: "rd", decl: "$ := bufio.NewReader(strings.NewReader(\"one\\ntwo\\nthree\\nfour\\n\"))", show: "l.N($.Buffered())", plain: true},
	{name: "rn", decl: "$ := rand.New(rand.NewPCG(1, 2))", show: "l.N($.IntN(100))", plain: true},
	{name: "bi", decl: "$ := big.NewInt(7)", show: "l.S($.String())", plain: true},
	{name: "ha", decl: "$ := sha256.New()", show: "l.S(hex.EncodeToString($.Sum(nil)[:4]))", plain: true},
	{name: "ti", decl: "$ := time.Date(2024, 2, 28, 23, 0, 0, 0, time.UTC)",
		show: "l.S($.Format(time.RFC3339))", plain: true},
	{name: "ur", decl: "$ := &url.URL{Scheme: \"http\", Host: \"a.b\"}", show: "l.S($.String())",
		plain: true},
	{name: "hd", decl: "$ := http.Header{\"A\": {\"1\"}}", show: "l.S(fmt.Sprint($))", plain: true},

	// of the standard library, safe for concurrent use
	{name: "lg", decl: "var $B bytes.Buffer; $ := log.New(&$B, \"\", 0)", show: "l.S($B.String())"},
	{name: "cx", decl: "$, $C := context.WithCancel(context.Background()); defer $C()", show: "l.E($.Err())"},
	{name: "ip", decl: "$R, $W := io.Pipe(); $ := 0", show: ""},
	{name: "np", decl: "$A, $B := net.Pipe(); $ := 0", show: ""},
	{name: "tf", decl: "$ := side.File($p, \"$\")",
		show: "b, err := os.ReadFile($); l.S(string(b)); l.B(err == nil)"},
	{name: "ev", decl: "$ := side.Env($p, \"$\")", show: "l.S(os.Getenv($))"},
	{name: "re", decl: "$ := regexp.MustCompile(`[a-c]+`)"},
	{name: "te", decl: "$ := template.Must(template.New(\"t\").Parse(\"{{.A}}-{{.Sum}}\"))"},

	// clocks
	{name: "tm", decl: "$ := time.NewTimer(time.Millisecond)"},
	{name: "tk", decl: "$ := time.NewTicker(time.Millisecond); defer $.Stop()"},
}
