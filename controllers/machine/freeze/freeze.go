// Package freeze keeps machines as they are while the API server of the cluster that they join does not answer (MIG-20). Nobody knows then
// how the nodes are, and another seed may have taken the control plane over and have the machines in its hands.
package freeze

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	// trust is how long an answer holds. The nodes of a cluster are silent for longer before their machines are replaced.
	trust = 10 * time.Second
	// pause is how long a failure holds, so that the machines of a large cluster do not ask one after the other.
	pause = time.Second
	// timeout is how long a request may take.
	timeout = 5 * time.Second
)

// Guard asks the API server when somebody wants to know, and not oftener than needed. Its methods may be called concurrently.
type Guard struct {
	// Ask returns an error if the API server is not ready.
	Ask func(ctx context.Context) error
	// Clock for the times between two requests.
	Clock clock.PassiveClock

	lock     sync.Mutex
	asked    time.Time // zero before the first request
	answered bool
}

// For is a Guard that asks for /readyz of the cluster, which every user may read.
func For(target cluster.Cluster, clock clock.PassiveClock) *Guard {
	url := strings.TrimSuffix(target.GetConfig().Host, "/") + "/readyz"
	return &Guard{Clock: clock, Ask: func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := target.GetHTTPClient().Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close() //nolint:errcheck // all that matters is read
		if response.StatusCode != http.StatusOK {
			reason, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
			return fmt.Errorf("%s: %s", response.Status, reason)
		}
		return nil
	}}
}

// Frozen reports whether machines have to stay as they are.
func (g *Guard) Frozen(ctx context.Context) bool {
	g.lock.Lock()
	defer g.lock.Unlock()
	age := g.Clock.Since(g.asked)
	if !g.asked.IsZero() && age < pause || g.answered && age < trust {
		return !g.answered
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := g.Ask(ctx)
	if changed := g.asked.IsZero() || g.answered != (err == nil); changed && err != nil {
		log.FromContext(ctx).Error(err, "The API server of the cluster is not ready: its machines stay as they are")
	} else if changed && !g.asked.IsZero() {
		log.FromContext(ctx).Info("The API server of the cluster is ready again")
	}
	g.asked, g.answered = g.Clock.Now(), err == nil
	return !g.answered
}
