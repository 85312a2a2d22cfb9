package runtime

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// defaultShutdown bounds Shutdown when ctx has no deadline.
const defaultShutdown = 10 * time.Second

// Shutdown ends all processes and refuses new ones: pods of the lowest priority first, those of one priority side by
// side. Each priority gets its share of the time that ctx leaves, then its processes are killed. The containers are
// recorded as killed, so that the kubelet starts them again with the node.
func (r *Runtime) Shutdown(ctx context.Context, priority func(podUID string) int32) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(defaultShutdown)
	}
	levels := r.beginStopping(priority)
	order := slices.Sorted(maps.Keys(levels))
	for i, level := range order {
		share := time.Until(deadline) / time.Duration(len(order)-i)
		endAll(levels[level], share)
	}
}

// running is a process with the signal that its end is recorded.
type running struct {
	process *process
	settled chan struct{}
}

func (r *Runtime) beginStopping(priority func(string) int32) map[int32][]running {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
	levels := map[int32][]running{}
	for _, c := range r.containers {
		if c.process != nil {
			level := priority(c.sandbox.record.PodUID)
			levels[level] = append(levels[level], running{c.process, c.settled})
		}
	}
	return levels
}

func endAll(all []running, grace time.Duration) {
	var group sync.WaitGroup
	for _, one := range all {
		group.Go(func() {
			_ = one.process.stop(context.Background(), grace) // fails with its context only
			<-one.settled
		})
	}
	group.Wait()
}
