package servers

import (
	"context"
	"time"
)

// beginLatest is how long pods wait for the landscape. What it needs to be ready may be a pod, such as a webhook of an extension.
const beginLatest = 20 * time.Second

// Begin is the moment from which the embedded node starts pods: when the landscape is ready. The control planes and nodes of shoots, which all
// want to start at the same time, would take the processors that the landscape needs until then.
type Begin struct{ reached chan struct{} }

// NewBegin returns a moment that is not reached.
func NewBegin() Begin { return Begin{reached: make(chan struct{})} }

// Await reaches it once everything is ready, the end has come, or it has taken long. Call it once.
func (b Begin) Await(ctx context.Context, ready <-chan struct{}) {
	defer close(b.reached)
	latest := time.NewTimer(beginLatest)
	defer latest.Stop()
	select {
	case <-ready:
	case <-ctx.Done():
	case <-latest.C:
	}
}

// Reached is closed when the moment is reached.
func (b Begin) Reached() <-chan struct{} { return b.reached }
