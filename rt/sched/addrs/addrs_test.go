package addrs

import "testing"

// A table finds what was put into it since it was emptied, and nothing else.
func TestTable(t *testing.T) {
	var tab Table
	for round := range 3 {
		if round == 2 {
			tab.gen = ^uint32(0) // emptying it begins again at 1
		}
		tab.Empty()
		for i := range int32(1000) {
			p := uintptr(0x1000 + 8*i)
			sl := tab.Find(p)
			if _, ok := tab.Index(sl); ok {
				t.Fatalf("round %d: %#x is in the table before it is put there", round, p)
			}
			tab.Fill(sl, p, i)
			if tab.Insert(p) || !tab.Has(p) || tab.Has(p+4) {
				t.Fatalf("round %d: the table does not hold just what was put there, %#x", round, p)
			}
		}
		for i := range int32(1000) {
			if id, ok := tab.Index(tab.Find(uintptr(0x1000 + 8*i))); !ok || id != i {
				t.Fatalf("round %d: index %d, %v, want %d", round, id, ok, i)
			}
		}
	}
}
