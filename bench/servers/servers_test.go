package servers

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/hashicorp/go-memdb"
	"github.com/nats-io/nats-server/v2/server"
	_ "github.com/proullon/ramsql/driver"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
	"github.com/tidwall/buntdb"
	"go.etcd.io/bbolt"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// A subject is a use of a server's part, for the test and the benchmark.
type subject func(tb testing.TB, clients, rounds int)

// together calls f in so many goroutines and waits for them.
func together(clients int, f func(c int)) {
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() { f(c) })
	}
	wg.Wait()
}

func run(t *testing.T, s subject) { s(t, 3, 8) }

// bench is how long the same takes natively.
func bench(b *testing.B, s subject) {
	for b.Loop() {
		s(b, 3, 8)
	}
}

func must(tb testing.TB, err error) {
	if err != nil {
		tb.Error(err)
	}
}

func TestBolt(t *testing.T)       { run(t, bolt) }
func BenchmarkBolt(b *testing.B)  { bench(b, bolt) }
func TestMemDB(t *testing.T)      { run(t, memDB) }
func BenchmarkMemDB(b *testing.B) { bench(b, memDB) }
func TestGin(t *testing.T)        { run(t, ginRouter) }
func BenchmarkGin(b *testing.B)   { bench(b, ginRouter) }
func TestChi(t *testing.T)        { run(t, chiRouter) }
func BenchmarkChi(b *testing.B)   { bench(b, chiRouter) }
func TestNATS(t *testing.T)       { run(t, nats) }
func BenchmarkNATS(b *testing.B)  { bench(b, nats) }
func TestRamSQL(t *testing.T)     { run(t, ramSQL) }
func BenchmarkRamSQL(b *testing.B) {
	bench(b, ramSQL)
}
func TestLevelDB(t *testing.T)      { run(t, levelDB) }
func BenchmarkLevelDB(b *testing.B) { bench(b, levelDB) }
func TestBunt(t *testing.T)         { run(t, bunt) }
func BenchmarkBunt(b *testing.B)    { bench(b, bunt) }
func TestRaft(t *testing.T)         { run(t, raftNode) }
func BenchmarkRaft(b *testing.B)    { bench(b, raftNode) }

// bolt: writers with Update and Batch, readers with View, in one file.
func bolt(tb testing.TB, clients, rounds int) {
	dir := tb.TempDir()
	db, err := bbolt.Open(filepath.Join(dir, "bolt"), 0o600, &bbolt.Options{NoSync: true,
		NoFreelistSync: true})
	if err != nil {
		tb.Fatal(err)
	}
	must(tb, db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("b")); return err }))
	together(clients, func(c int) {
		for i := range rounds {
			key := fmt.Appendf(nil, "%d-%d", c, i)
			put := func(tx *bbolt.Tx) error { return tx.Bucket([]byte("b")).Put(key, []byte("v")) }
			if i%2 == 0 {
				must(tb, db.Update(put))
			} else {
				must(tb, db.Batch(put))
			}
			must(tb, db.View(func(tx *bbolt.Tx) error {
				if string(tx.Bucket([]byte("b")).Get(key)) != "v" {
					return fmt.Errorf("%s is lost", key)
				}
				return nil
			}))
			_ = db.Stats()
		}
	})
	must(tb, db.Close())
}

// memDB: transactions that write, snapshots, and a watch.
func memDB(tb testing.TB, clients, rounds int) {
	type user struct {
		Name string
		Age  int
	}
	db, err := memdb.NewMemDB(&memdb.DBSchema{Tables: map[string]*memdb.TableSchema{"user": {
		Name: "user",
		Indexes: map[string]*memdb.IndexSchema{
			"id":  {Name: "id", Unique: true, Indexer: &memdb.StringFieldIndex{Field: "Name"}},
			"age": {Name: "age", Indexer: &memdb.IntFieldIndex{Field: "Age"}},
		}}}})
	if err != nil {
		tb.Fatal(err)
	}
	together(clients, func(c int) {
		for i := range rounds {
			name := fmt.Sprintf("%d-%d", c, i)
			w := db.Txn(true)
			must(tb, w.Insert("user", &user{name, i}))
			w.Commit()
			r := db.Txn(false)
			watch, got, err := r.FirstWatch("user", "id", name)
			must(tb, err)
			if got == nil {
				tb.Errorf("%s is lost", name)
			}
			d := db.Txn(true)
			must(tb, d.Delete("user", &user{name, i}))
			d.Commit()
			<-watch
			s := db.Snapshot().Txn(false)
			it, err := s.Get("user", "age", i)
			must(tb, err)
			for it.Next() != nil {
			}
		}
	})
}

// store is what the handlers of the routers use.
type store struct {
	mu sync.RWMutex
	m  map[string]string
}

func (s *store) put(k, v string) { s.mu.Lock(); defer s.mu.Unlock(); s.m[k] = v }
func (s *store) get(k string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.m[k]
}

func requests(tb testing.TB, h http.Handler, clients, rounds int) {
	together(clients, func(c int) {
		for i := range rounds {
			path := fmt.Sprintf("/items/%d-%d", c, i)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("PUT", path, strings.NewReader("v")))
			w = httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			if w.Code != 200 || w.Body.String() != "v" {
				tb.Errorf("%s: %d %q", path, w.Code, w.Body)
			}
			w = httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/none", nil))
			if w.Code != 404 {
				tb.Errorf("/none: %d", w.Code)
			}
		}
	})
}

// ginRouter: requests that share the engine and its pool of contexts.
func ginRouter(tb testing.TB, clients, rounds int) {
	gin.SetMode(gin.ReleaseMode)
	s := &store{m: map[string]string{}}
	e := gin.New()
	e.Use(gin.Recovery())
	e.PUT("/items/:id", func(c *gin.Context) { s.put(c.Param("id"), "v"); c.Status(200) })
	e.GET("/items/:id", func(c *gin.Context) { c.String(200, "%s", s.get(c.Param("id"))) })
	requests(tb, e, clients, rounds)
}

// chiRouter: requests through middleware, one with a limit of how many run at once.
func chiRouter(tb testing.TB, clients, rounds int) {
	s := &store{m: map[string]string{}}
	r := chi.NewRouter()
	r.Use(middleware.RequestID, middleware.Recoverer, middleware.ThrottleBacklog(2, 8, time.Minute))
	r.Put("/items/{id}", func(w http.ResponseWriter, r *http.Request) { s.put(chi.URLParam(r, "id"), "v") })
	r.Get("/items/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(s.get(chi.URLParam(r, "id"))))
	})
	requests(tb, r, clients, rounds)
}

// nats: a whole NATS server, with clients that publish to themselves over connections within the
// process.
func nats(tb testing.TB, clients, rounds int) {
	s, err := server.NewServer(&server.Options{DontListen: true, NoSigs: true, NoLog: true})
	if err != nil {
		tb.Fatal(err)
	}
	s.Start()
	together(clients, func(c int) {
		conn, err := s.InProcessConn()
		if err != nil {
			tb.Error(err)
			return
		}
		defer conn.Close()
		r := bufio.NewReader(conn)
		say := func(format string, args ...any) {
			_, err := fmt.Fprintf(conn, format, args...)
			must(tb, err)
		}
		until := func(want string) {
			for {
				line, err := r.ReadString('\n')
				if err != nil {
					tb.Errorf("client %d waits for %q: %v", c, want, err)
					return
				}
				if strings.HasPrefix(line, want) {
					return
				}
			}
		}
		until("INFO")
		say("CONNECT {\"verbose\":false}\r\nPING\r\n")
		until("PONG")
		for i := range rounds {
			say("SUB a.%d %d\r\nPUB a.%d 1\r\nx\r\nPING\r\n", i, i, i)
			until("MSG")
			until("PONG")
			say("UNSUB %d\r\n", i)
		}
	})
	s.Shutdown()
	s.WaitForShutdown()
}

// ramSQL: an SQL engine in memory, through database/sql.
func ramSQL(tb testing.TB, clients, rounds int) {
	db, err := sql.Open("ramsql", tb.Name())
	if err != nil {
		tb.Fatal(err)
	}
	_, err = db.Exec("CREATE TABLE account (id INT, name TEXT)")
	must(tb, err)
	together(clients, func(c int) {
		for i := range rounds {
			id := c*rounds + i
			_, err := db.Exec("INSERT INTO account (id, name) VALUES ($1, $2)", id, "n")
			must(tb, err)
			var name string
			must(tb, db.QueryRow("SELECT name FROM account WHERE id = $1", id).Scan(&name))
		}
	})
	_, err = db.Exec("DROP TABLE account")
	must(tb, err)
	must(tb, db.Close())
}

// levelDB: a storage engine in memory, with its goroutines that compact.
func levelDB(tb testing.TB, clients, rounds int) {
	db, err := leveldb.Open(storage.NewMemStorage(), &opt.Options{WriteBuffer: 1 << 10})
	if err != nil {
		tb.Fatal(err)
	}
	together(clients, func(c int) {
		for i := range rounds {
			key := fmt.Appendf(nil, "%d-%d", c, i)
			must(tb, db.Put(key, []byte("v"), nil))
			v, err := db.Get(key, nil)
			must(tb, err)
			if string(v) != "v" {
				tb.Errorf("%s: %q", key, v)
			}
			it := db.NewIterator(nil, nil)
			for it.Next() {
			}
			it.Release()
			must(tb, it.Error())
		}
	})
	must(tb, db.Close())
}

// bunt: a key-value store with an index, in memory.
func bunt(tb testing.TB, clients, rounds int) {
	db, err := buntdb.Open(":memory:")
	if err != nil {
		tb.Fatal(err)
	}
	must(tb, db.CreateIndex("all", "*", buntdb.IndexString))
	together(clients, func(c int) {
		for i := range rounds {
			key := fmt.Sprintf("%d-%d", c, i)
			must(tb, db.Update(func(tx *buntdb.Tx) error { _, _, err := tx.Set(key, "v", nil); return err }))
			must(tb, db.View(func(tx *buntdb.Tx) error {
				_, err := tx.Get(key)
				return err
			}))
			must(tb, db.View(func(tx *buntdb.Tx) error {
				return tx.Ascend("all", func(k, v string) bool { return true })
			}))
		}
	})
	must(tb, db.Close())
}

// raftNode: one node of etcd's raft, with clients that propose and a goroutine that applies.
func raftNode(tb testing.TB, clients, rounds int) {
	s := raft.NewMemoryStorage()
	n := raft.StartNode(&raft.Config{ID: 1, ElectionTick: 10, HeartbeatTick: 1, Storage: s,
		MaxSizePerMsg: 1 << 20, MaxInflightMsgs: 16, Logger: quiet{}}, []raft.Peer{{ID: 1}})
	ctx := context.Background()
	applied := make(chan string, clients*rounds)
	stop, stopped := make(chan struct{}), make(chan struct{})
	joined, lead := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		led, joins := false, false
		for {
			select {
			case rd := <-n.Ready():
				must(tb, s.Append(rd.Entries))
				if !raft.IsEmptyHardState(rd.HardState) {
					must(tb, s.SetHardState(rd.HardState))
				}
				for _, e := range rd.CommittedEntries {
					switch e.GetType() {
					case raftpb.EntryConfChange:
						var cc raftpb.ConfChange
						must(tb, proto.Unmarshal(e.Data, &cc))
						n.ApplyConfChange(&cc)
						joins = true
					case raftpb.EntryNormal:
						if len(e.Data) > 0 {
							applied <- string(e.Data)
						}
					}
				}
				if !led && rd.SoftState != nil && rd.SoftState.Lead == 1 {
					led = true
					close(lead)
				}
				n.Advance()
				if joins { // until then Campaign is ignored
					joins = false
					close(joined)
				}
			case <-stop:
				return
			}
		}
	}()
	<-joined
	must(tb, n.Campaign(ctx))
	<-lead
	together(clients, func(c int) {
		for i := range rounds {
			must(tb, n.Propose(ctx, fmt.Appendf(nil, "%d-%d", c, i)))
			_ = n.Status()
		}
	})
	seen := map[string]bool{}
	for range clients * rounds {
		seen[<-applied] = true
	}
	if len(seen) != clients*rounds {
		tb.Errorf("%d of %d proposals were applied", len(seen), clients*rounds)
	}
	close(stop)
	<-stopped
	n.Stop()
}

// quiet is a logger of raft that writes nothing.
type quiet struct{}

func (quiet) Debug(...any)            {}
func (quiet) Debugf(string, ...any)   {}
func (quiet) Error(...any)            {}
func (quiet) Errorf(string, ...any)   {}
func (quiet) Info(...any)             {}
func (quiet) Infof(string, ...any)    {}
func (quiet) Warning(...any)          {}
func (quiet) Warningf(string, ...any) {}
func (quiet) Fatal(v ...any)          { panic(fmt.Sprint(v...)) }
func (quiet) Fatalf(f string, v ...any) {
	panic(fmt.Sprintf(f, v...))
}
func (quiet) Panic(v ...any) { panic(fmt.Sprint(v...)) }
func (quiet) Panicf(f string, v ...any) {
	panic(fmt.Sprintf(f, v...))
}
