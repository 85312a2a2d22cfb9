package appliance

import (
	"context"
	"time"
)

// beginLatest is how long pods wait for the landscape. What it needs to be ready may be a pod, such as a webhook of an extension.
const beginLatest = 20 * time.Second

// begin is the moment from which the embedded node starts pods: when the landscape is ready. The control planes and nodes of shoots, which all
// want to start at the same time, would take the processors that the landscape needs until then.
type begin struct{ reached chan struct{} }

// await reaches it once everything is ready, the end has come, or it has taken long.
func (b begin) await(ctx context.Context, ready <-chan struct{}) {
	defer close(b.reached)
	latest := time.NewTimer(beginLatest)
	defer latest.Stop()
	select {
	case <-ready:
	case <-ctx.Done():
	case <-latest.C:
	}
}
