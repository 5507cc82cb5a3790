// Package db is a small table store.
package db

import "sync"

// A DB has rows by table and key.
type DB struct {
	mu   sync.Mutex
	rows map[string]string
}

// Open returns an empty database.
func Open() *DB { return &DB{rows: map[string]string{}} }

// Query returns a value, or "".
func (d *DB) Query(table, key string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rows[table+"/"+key]
}

// Exec sets a value.
func (d *DB) Exec(table, key, value string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows[table+"/"+key] = value
}
