package main

// A module is one that is tried.
type module struct {
	path, version string
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
}
