package main

// A module is one that is tried.
type module struct {
	path, version string
	only          string // packages, all if empty
	skip          string // what -skip gets, for tests that need what a sandbox has not
}

var modules = []module{
	{path: "golang.org/x/sync", version: "v0.20.0"},
	{path: "github.com/sourcegraph/conc", version: "v0.3.0"},
	{path: "github.com/gammazero/workerpool", version: "v1.1.3"},
	{path: "github.com/hashicorp/golang-lru/v2", version: "v2.0.7"},
	{path: "github.com/jackc/puddle/v2", version: "v2.2.2"},
	{path: "github.com/patrickmn/go-cache", version: "v2.1.0+incompatible"},
	{path: "github.com/cenkalti/backoff/v4", version: "v4.3.0"},
	{path: "github.com/eapache/channels", version: "v1.1.0"},
	{path: "github.com/hashicorp/go-multierror", version: "v1.1.1"},
	{path: "github.com/hashicorp/go-memdb", version: "v1.3.4"},
	{path: "github.com/benbjohnson/clock", version: "v1.3.5"},
	{path: "github.com/oklog/run", version: "v1.1.0"},
	{path: "github.com/eapache/go-resiliency", version: "v1.7.0"},
	{path: "github.com/sony/gobreaker", version: "v1.0.0"},
	{path: "github.com/nats-io/nuid", version: "v1.0.1"},
	{path: "github.com/go-chi/chi/v5", version: "v5.2.3"},
	{path: "github.com/gorilla/mux", version: "v1.8.1"},
	{path: "go.etcd.io/raft/v3", version: "v3.6.0"},
	{path: "github.com/dgraph-io/ristretto/v2", version: "v2.3.0"},
	{path: "github.com/RoaringBitmap/roaring/v2", version: "v2.10.0"},
	{path: "go.uber.org/goleak", version: "v1.3.0"},
	{path: "go.uber.org/atomic", version: "v1.11.0"},
	{path: "github.com/panjf2000/ants/v2", version: "v2.11.3"},

	// As widely used, of every sort: pools, caches, limiters, loggers, brokers, schedulers.
	{path: "golang.org/x/time", version: "v0.16.0"},
	{path: "github.com/alitto/pond/v2", version: "v2.7.1"},
	{path: "github.com/puzpuzpuz/xsync/v3", version: "v3.5.1"},
	{path: "github.com/orcaman/concurrent-map/v2", version: "v2.0.1"},
	{path: "github.com/hashicorp/go-retryablehttp", version: "v0.7.8"},
	{path: "github.com/allegro/bigcache/v3", version: "v3.1.0"},
	{path: "github.com/coocood/freecache", version: "v1.2.7"},
	{path: "github.com/jellydator/ttlcache/v3", version: "v3.4.1"},
	{path: "github.com/asaskevich/EventBus", version: "v0.0.0-20200907212545-49d423059eef"},
	{path: "github.com/cskr/pubsub", version: "v1.0.2"},
	{path: "github.com/failsafe-go/failsafe-go", version: "v0.9.8"},
	{path: "go.uber.org/ratelimit", version: "v0.3.1"},
	{path: "go.uber.org/zap", version: "v1.28.0"},
	{path: "github.com/rs/zerolog", version: "v1.35.1"},
	{path: "github.com/robfig/cron/v3", version: "v3.0.1"},
	{path: "github.com/looplab/fsm", version: "v1.0.3"},
	{path: "github.com/tidwall/btree", version: "v1.8.2"},
	{path: "github.com/google/btree", version: "v1.1.3"},
	{path: "github.com/spf13/cobra", version: "v1.10.2"},
	{path: "github.com/stretchr/testify", version: "v1.12.1", skip: "TestDirExists|TestNoDirExists"},
	{path: "github.com/juju/ratelimit", version: "v1.0.2"},
	{path: "github.com/fatih/semgroup", version: "v1.2.0"},
}
