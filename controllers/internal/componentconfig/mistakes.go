package componentconfig

import (
	"errors"
	"fmt"
)

// Mistakes collects what is wrong in a configuration, so that users learn of everything at once.
type Mistakes struct{ errs []error }

// Add adds a mistake if wrong is true.
func (m *Mistakes) Add(wrong bool, format string, args ...any) {
	if wrong {
		m.errs = append(m.errs, fmt.Errorf(format, args...))
	}
}

// Syncs adds a mistake if there is not at least one worker. The path is the key of a controller.
func (m *Mistakes) Syncs(path string, syncs int) {
	m.Add(syncs < 1, "%s.concurrentSyncs must be at least 1", path)
}

// Err is nil without mistakes.
func (m *Mistakes) Err() error { return errors.Join(m.errs...) }
