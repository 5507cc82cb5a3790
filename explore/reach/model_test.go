package reach

import (
	"testing"

	"heddle/bench/model"
)

func bbMonitor(n, slots int, d model.Discipline) func() {
	return func() {
		m := model.NewMonitor(d)
		notFull, notEmpty := m.NewCond(), m.NewCond()
		full := 0
		signal := (*model.Cond).Signal
		if d == model.SC {
			signal = (*model.Cond).SignalAll
		}
		for range n {
			spawn(func() {
				var deposit model.Body
				deposit = func() model.Next {
					if full == slots {
						return notFull.Wait(deposit)
					}
					full++
					signal(notEmpty)
					return model.Done
				}
				m.Do(deposit)
			})
		}
		for range n {
			spawn(func() {
				var withdraw model.Body
				withdraw = func() model.Next {
					if full == 0 {
						return notEmpty.Wait(withdraw)
					}
					full--
					signal(notFull)
					return model.Done
				}
				m.Do(withdraw)
			})
		}
	}
}

func TestBoundedBufferMonitors(t *testing.T) {
	for _, c := range []struct {
		n, slots int
		d        model.Discipline
		want     int
	}{
		{1, 1, model.SU, 2}, {1, 1, model.SC, 2}, {2, 1, model.SU, 24}, {2, 1, model.SC, 80}, {2, 2, model.SU, 24}, {2, 2, model.SC, 60},
		{3, 2, model.SU, 720},
	} {
		if st := count(t, Options{}, bbMonitor(c.n, c.slots, c.d), nil); st.Sequences != c.want || st.Partial != 0 {
			t.Errorf("%d producers and consumers, %d slots, discipline %d: %+v, want %d", c.n, c.slots, c.d, st, c.want)
		}
	}
}
