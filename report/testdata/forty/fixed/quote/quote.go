// Package quote asks for a price and gives up after a while.
package quote

import (
	"errors"
	"time"
)

var ErrLate = errors.New("no price in time")

// Price returns the price, or ErrLate.
func Price(ask func() int, limit time.Duration) (int, error) {
	price := make(chan int, 1)
	go func() { price <- ask() }()
	select {
	case p := <-price:
		return p, nil
	case <-time.After(limit):
		return 0, ErrLate
	}
}
