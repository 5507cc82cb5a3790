package endpoint

import "testing"

func TestFailOver(t *testing.T) {
	var e Endpoint
	e.Move("db1", 5432)
	moved := make(chan struct{})
	go func() {
		e.Move("db2", 6543)
		close(moved)
	}()
	if a := e.Addr(); a != "db1:5432" && a != "db2:6543" {
		t.Errorf("there is no database at %s", a)
	}
	<-moved
}
