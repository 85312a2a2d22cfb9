package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
)

// silence is the outage of a garden that several watches hear, one after the other.
type silence struct {
	mu     sync.Mutex
	outage outage
}

// ends is that of the outage.
func (s *silence) ends(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outage.ends(err, time.Now())
}

// heard is the watch. An event of it ends the silence, and so does its end, since servers end each watch after some time. Errors that it
// brings prolong the silence, and call stop if that ends the command.
func (s *silence) heard(from watch.Interface, stop context.CancelCauseFunc, what string) watch.Interface {
	events := make(chan watch.Event)
	through := watch.NewProxyWatcher(events)
	begin := time.Now()
	go func() {
		defer close(events)
		defer from.Stop()
		for {
			select {
			case <-through.StopChan():
				return
			case event, open := <-from.ResultChan():
				if time.Since(begin) >= outageLimit { // it was open for long: what was before is over
					_ = s.ends(nil)
				}
				failed := open && event.Type == watch.Error
				var err error
				if failed {
					err = fmt.Errorf("watch %s: %w", what, apierrors.FromObject(event.Object))
				}
				if !forgotten(err) && s.ends(err) {
					stop(err)
				}
				if !open {
					return
				}
				select {
				case events <- event:
				case <-through.StopChan():
					return
				}
				if failed { // its end is that of an error
					return
				}
			}
		}
	}()
	return through
}
