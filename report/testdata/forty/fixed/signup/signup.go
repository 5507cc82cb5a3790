// Package signup keeps users in a database.
package signup

import (
	"sync"

	"heddle.forty/signup/db"
)

var mu sync.Mutex

// Sign adds a user unless the name is taken. It reports whether it was added.
func Sign(d *db.DB, name string) bool {
	mu.Lock()
	defer mu.Unlock()
	if d.Query("user", name) != "" {
		return false
	}
	d.Exec("user", name, "active")
	d.Exec("log", name, d.Query("log", name)+"+")
	return true
}
