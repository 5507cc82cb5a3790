// Package oncedeadlock reads settings at the first request for one.
package oncedeadlock

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Settings are read once, from the source attached by then.
type Settings struct {
	source atomic.Pointer[map[string]string]
	once   sync.Once
	values map[string]string
	log    []string
}

// Attach sets the source of the settings. It has no effect after the first Get.
func (s *Settings) Attach(source map[string]string) {
	s.source.Store(&source)
}

// Get returns a setting.
func (s *Settings) Get(name string) string {
	s.once.Do(s.read)
	return s.values[name]
}

func (s *Settings) read() {
	s.values = map[string]string{"color": "blue", "prefix": "settings"}
	source := s.source.Load()
	if source == nil {
		s.logf("no source, defaults are used")
		return
	}
	for name, value := range *source {
		s.values[name] = value
	}
}

func (s *Settings) logf(format string, args ...any) {
	s.log = append(s.log, s.Get("prefix")+": "+fmt.Sprintf(format, args...))
}
