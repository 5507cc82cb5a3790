package pecan

import (
	"math"
	"math/rand/v2"
	"sync"
)

// The kernels of the Java Grande Forum, each for two threads and in the size that gives a trace of
// the size in the table. They compute something real: the tests hold the results to laws.

// A barrier lets goroutines wait for each other, again and again.
type barrier struct {
	mu      sync.Mutex
	all     *sync.Cond
	n, here int
	round   int
}

func newBarrier(n int) *barrier {
	b := &barrier{n: n}
	b.all = sync.NewCond(&b.mu)
	return b
}

func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	if b.here++; b.here == b.n {
		b.here = 0
		b.round++
		b.all.Broadcast()
		return
	}
	for round == b.round {
		b.all.Wait()
	}
}

type vector [3]float64

// Molecules is what Moldyn simulates: argon in a box whose sides meet.
type Molecules struct {
	side             float64
	at, speed, force []vector
	shares           [2][]vector // of the force, by goroutine
	epot             [2]float64
	interactions     int // counted by all goroutines without a lock: the bug
	Energy           []float64
}

// NewMolecules places particles on a lattice, with speeds whose sum is zero.
func NewMolecules(edge int) *Molecules {
	m := &Molecules{side: 1.7 * float64(edge)}
	r := rand.New(rand.NewPCG(1, 1))
	var sum vector
	for i := range edge * edge * edge {
		x, y, z := i%edge, i/edge%edge, i/edge/edge
		m.at = append(m.at, vector{1.7 * float64(x), 1.7 * float64(y), 1.7 * float64(z)})
		v := vector{r.Float64() - .5, r.Float64() - .5, r.Float64() - .5}
		for k := range v {
			sum[k] += v[k]
		}
		m.speed = append(m.speed, v)
	}
	for i := range m.speed {
		for k := range sum {
			m.speed[i][k] -= sum[k] / float64(len(m.speed))
		}
	}
	m.force = make([]vector, len(m.at))
	for g := range m.shares {
		m.shares[g] = make([]vector, len(m.at))
	}
	return m
}

// forces computes goroutine g's share of the Lennard-Jones forces: those of every other particle
// on those after it.
func (m *Molecules) forces(g int) {
	share, epot, count := m.shares[g], 0.0, 0
	clear(share)
	for i := g; i < len(m.at); i += len(m.shares) {
		a := m.at[i]
		for j := i + 1; j < len(m.at); j++ {
			var d vector
			square := 0.0
			for k := range d {
				d[k] = a[k] - m.at[j][k]
				d[k] -= m.side * math.Round(d[k]/m.side)
				square += d[k] * d[k]
			}
			if square > m.side*m.side/4 {
				continue
			}
			near := 1 / (square * square * square)
			epot += 4 * near * (near - 1)
			f := 24 * near * (2*near - 1) / square
			for k := range d {
				share[i][k] += f * d[k]
				share[j][k] -= f * d[k]
			}
			count++
		}
	}
	m.epot[g] = epot
	m.interactions += count
}

const moldynStep = 0.001

// move moves goroutine g's particles: half a step of the speed before, half after.
func (m *Molecules) move(g int, before bool) {
	for i := g; i < len(m.at); i += len(m.shares) {
		if !before {
			m.force[i] = vector{}
			for _, share := range m.shares {
				for k := range m.force[i] {
					m.force[i][k] += share[i][k]
				}
			}
		}
		for k := range m.at[i] {
			m.speed[i][k] += moldynStep / 2 * m.force[i][k]
			if before {
				m.at[i][k] += moldynStep * m.speed[i][k]
			}
		}
	}
}

func (m *Molecules) total() float64 {
	e := 0.0
	for _, p := range m.epot {
		e += p
	}
	for _, v := range m.speed {
		e += (v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) / 2
	}
	return e
}

// Run simulates some steps with two goroutines.
func (m *Molecules) Run(steps int) {
	b := newBarrier(len(m.shares))
	var wg sync.WaitGroup
	for g := range m.shares {
		wg.Go(func() {
			for range steps {
				m.move(g, true)
				b.wait()
				m.forces(g)
				b.wait()
				m.move(g, false)
				b.wait()
				if g == 0 {
					m.Energy = append(m.Energy, m.total())
				}
				b.wait()
			}
		})
	}
	wg.Wait()
}

// Moldyn is "moldyn".
func Moldyn() { NewMolecules(4).Run(3) }

// A sphere of a scene, with its brightness.
type sphere struct {
	center vector
	radius float64
	shine  float64
}

// A Picture is what RayTracer draws.
type Picture struct {
	size     int
	spheres  []sphere
	rows     [][]int
	scenes   [2]sync.Mutex // one for each goroutine, where there should be one: the bug
	checksum int
	drawn    int
}

// NewPicture arranges spheres in a cube.
func NewPicture(size int) *Picture {
	p := &Picture{size: size, rows: make([][]int, size)}
	for i := range 8 {
		center := vector{float64(i&1)*6 - 3, float64(i>>1&1)*6 - 3, 8 + float64(i>>2)*6}
		p.spheres = append(p.spheres, sphere{center, 2.5, float64(i+1) / 8})
	}
	for y := range p.rows {
		p.rows[y] = make([]int, size)
	}
	return p
}

// trace follows the ray through a point of the picture and returns how bright it is.
func (p *Picture) trace(x, y int) int {
	half := float64(p.size) / 2
	ray := vector{(float64(x) + .5 - half) / half, (float64(y) + .5 - half) / half, 1}
	length := math.Sqrt(ray[0]*ray[0] + ray[1]*ray[1] + ray[2]*ray[2])
	near, bright := math.Inf(1), 0.0
	for i := range p.spheres {
		s := &p.spheres[i]
		along, square := 0.0, 0.0
		for k := range ray {
			along += ray[k] / length * s.center[k]
			square += s.center[k] * s.center[k]
		}
		if off := square - along*along; off < s.radius*s.radius {
			if t := along - math.Sqrt(s.radius*s.radius-off); t < near {
				near, bright = t, s.shine*(1-off/(s.radius*s.radius))
			}
		}
	}
	return int(255 * bright)
}

// Draw draws with two goroutines, each every other row.
func (p *Picture) Draw() {
	var wg sync.WaitGroup
	for g := range p.scenes {
		wg.Go(func() {
			for y := g; y < p.size; y += len(p.scenes) {
				sum := 0
				for x := range p.size {
					v := p.trace(x, y)
					p.rows[y][x] = v
					sum += v
				}
				p.scenes[g].Lock()
				p.checksum += sum
				p.drawn++
				p.scenes[g].Unlock()
			}
		})
	}
	wg.Wait()
}

// RayTracer is "raytracer".
func RayTracer() { NewPicture(24).Draw() }

// Rates is what MonteCarlo estimates: the price of a share, from paths that go on as the past did.
type Rates struct {
	drift, volatility float64
	mu                sync.Mutex
	results           []float64
	next              int
	seed              uint64 // of the last path, set without the lock: the bug
}

// NewRates estimates drift and volatility from a series of prices.
func NewRates() *Rates {
	r := rand.New(rand.NewPCG(3, 3))
	price := 100.0
	var logs []float64
	for range 250 {
		old := price
		price *= math.Exp(0.0004 + 0.01*r.NormFloat64())
		logs = append(logs, math.Log(price/old))
	}
	m := new(Rates)
	for _, l := range logs {
		m.drift += l / float64(len(logs))
	}
	for _, l := range logs {
		m.volatility += (l - m.drift) * (l - m.drift) / float64(len(logs)-1)
	}
	m.volatility = math.Sqrt(m.volatility)
	return m
}

// task takes the number of the next path; -1: there is none left.
func (m *Rates) task(paths int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next == paths {
		return -1
	}
	m.next++
	return m.next - 1
}

// Estimate follows paths with two goroutines and returns the mean of their last prices.
func (m *Rates) Estimate(paths, days int) float64 {
	m.results, m.next = make([]float64, 0, paths), 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := m.task(paths); i >= 0; i = m.task(paths) {
				m.seed = uint64(i)
				r, sum := rand.New(rand.NewPCG(5, uint64(i))), 0.0
				for range days {
					sum += m.drift + m.volatility*r.NormFloat64()
				}
				m.mu.Lock()
				m.results = append(m.results, 100*math.Exp(sum))
				m.mu.Unlock()
			}
		})
	}
	wg.Wait()
	mean := 0.0
	for _, v := range m.results {
		mean += v / float64(len(m.results))
	}
	return mean
}

// MonteCarlo is "montecarlo".
func MonteCarlo() { NewRates().Estimate(250, 50) }
