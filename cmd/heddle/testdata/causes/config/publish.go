package config

// A Rates is filled in the background.
type Rates struct {
	table map[string]float64
	ready bool
}

// Load fills r and then says so, without a lock.
func (r *Rates) Load() {
	r.table = map[string]float64{"USD": 1.1}
	r.ready = true
}

// Rate returns a rate, or 0 as long as there are none.
func (r *Rates) Rate(currency string) float64 {
	if !r.ready {
		return 0
	}
	return r.table[currency]
}
