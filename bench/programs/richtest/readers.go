package richtest

import (
	"errors"
	"sync"

	"heddle/bench/model"
)

// readersWriters starts the goroutines and waits for them.
func readersWriters(readers, writers int, reader, writer func()) {
	var wg sync.WaitGroup
	wg.Add(readers + writers)
	for range readers {
		go func() {
			reader()
			wg.Done()
		}()
	}
	for range writers {
		go func() {
			writer()
			wg.Done()
		}()
	}
	wg.Wait()
}

// RWSelect is readers and writers with a server that accepts the requests that are allowed now.
func RWSelect(readers, writers int) error {
	startRead, endRead := make(chan struct{}), make(chan struct{})
	startWrite, endWrite := make(chan struct{}), make(chan struct{})
	served := make(chan int, 1)
	go func() {
		reading, writing := 0, false
		for range 2 * (readers + writers) {
			read, write := startRead, startWrite
			if writing {
				read = nil
			}
			if writing || reading > 0 {
				write = nil
			}
			select {
			case <-read:
				reading++
			case <-endRead:
				reading--
			case <-write:
				writing = true
			case <-endWrite:
				writing = false
			}
		}
		served <- reading
	}()
	readersWriters(readers, writers, func() {
		startRead <- struct{}{}
		endRead <- struct{}{}
	}, func() {
		startWrite <- struct{}{}
		endWrite <- struct{}{}
	})
	if left := <-served; left != 0 {
		return errors.New("a reader is left")
	}
	return nil
}

// RWSemaphore is readers and writers with semaphores that pass the baton, readers preferred.
func RWSemaphore(readers, writers int) error {
	mutex, readersQ, writersQ := model.NewSemaphore(1), model.NewSemaphore(0), model.NewSemaphore(0)
	activeR, activeW, waitingR, waitingW := 0, 0, 0, 0
	var err error
	readersWriters(readers, writers, func() {
		mutex.P()
		if activeW > 0 {
			waitingR++
			mutex.V()
			readersQ.P()
		}
		activeR++
		if activeW > 0 {
			err = errors.New("a reader beside a writer")
		}
		if waitingR > 0 {
			waitingR--
			readersQ.V()
		} else {
			mutex.V()
		}
		mutex.P()
		activeR--
		if activeR == 0 && waitingW > 0 {
			waitingW--
			writersQ.V()
		} else {
			mutex.V()
		}
	}, func() {
		mutex.P()
		if activeR > 0 || activeW > 0 {
			waitingW++
			mutex.V()
			writersQ.P()
		}
		activeW++
		if activeR > 0 || activeW > 1 {
			err = errors.New("a writer is not alone")
		}
		mutex.V()
		mutex.P()
		activeW--
		if waitingR > 0 {
			waitingR--
			readersQ.V()
		} else if waitingW > 0 {
			waitingW--
			writersQ.V()
		} else {
			mutex.V()
		}
	})
	return err
}

// RWMonitorSU is readers and writers as an SU monitor.
func RWMonitorSU(readers, writers int) error {
	m := model.NewMonitor(model.SU)
	readerQ, writerQ := m.NewCond(), m.NewCond()
	reading, writing := 0, false
	var err error
	check := func() {
		if writing && reading > 0 {
			err = errors.New("readers beside a writer")
		}
	}
	read := func() model.Next {
		reading++
		check()
		readerQ.Signal()
		return model.Done
	}
	write := func() model.Next {
		writing = true
		check()
		return model.Done
	}
	readersWriters(readers, writers, func() {
		m.Do(func() model.Next {
			if writing {
				return readerQ.Wait(read)
			}
			return read()
		})
		m.Do(func() model.Next {
			reading--
			if reading == 0 {
				writerQ.Signal()
			}
			return model.Done
		})
	}, func() {
		m.Do(func() model.Next {
			if writing || reading > 0 {
				return writerQ.Wait(write)
			}
			return write()
		})
		m.Do(func() model.Next {
			writing = false
			if !readerQ.Empty() {
				readerQ.Signal()
			} else {
				writerQ.Signal()
			}
			return model.Done
		})
	})
	return err
}

// RWMonitorSC is readers and writers as an SC monitor.
func RWMonitorSC(readers, writers int) error {
	m := model.NewMonitor(model.SC)
	readerQ, writerQ := m.NewCond(), m.NewCond()
	reading, signaled, writing := 0, 0, false
	var err error
	check := func() {
		if writing && reading > 0 {
			err = errors.New("readers beside a writer")
		}
	}
	read := func() model.Next {
		reading++
		check()
		return model.Done
	}
	var write model.Body
	write = func() model.Next {
		if reading > 0 || writing || !readerQ.Empty() || signaled > 0 {
			return writerQ.Wait(write)
		}
		writing = true
		check()
		return model.Done
	}
	readersWriters(readers, writers, func() {
		m.Do(func() model.Next {
			if writing {
				return readerQ.Wait(func() model.Next {
					signaled--
					return read()
				})
			}
			return read()
		})
		m.Do(func() model.Next {
			reading--
			if reading == 0 && signaled == 0 {
				writerQ.Signal()
			}
			return model.Done
		})
	}, func() {
		m.Do(write)
		m.Do(func() model.Next {
			writing = false
			if !readerQ.Empty() {
				signaled = readerQ.Len()
				readerQ.SignalAll()
			} else {
				writerQ.Signal()
			}
			return model.Done
		})
	})
	return err
}
