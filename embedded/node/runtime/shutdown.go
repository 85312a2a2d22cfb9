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

// Shutdown ends all processes and tasks and refuses new ones. Pods of the lowest priority end first. Within one priority and
// namespace, the youngest pods end first, because younger pods usually need older ones (a kube-apiserver needs its etcd). Namespaces
// are handled concurrently. Each priority gets its share of the time that ctx leaves; then its processes are killed. The containers
// are recorded as killed, so that the kubelet starts them again with the node.
func (r *Runtime) Shutdown(ctx context.Context, priority func(podUID string) int32) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(defaultShutdown)
	}
	levels := r.beginStopping(priority)
	order := slices.Sorted(maps.Keys(levels))
	for i, level := range order {
		levelDeadline := time.Now().Add(time.Until(deadline) / time.Duration(len(order)-i))
		var group sync.WaitGroup
		for _, all := range levels[level] {
			group.Go(func() { endAll(all, levelDeadline) })
		}
		group.Wait()
	}
}

// running is what runs, with the signal that its end is recorded.
type running struct {
	execution execution
	settled   chan struct{}
	since     time.Time // of the pod
}

// beginStopping returns what runs by priority and namespace, the youngest first.
func (r *Runtime) beginStopping(priority func(string) int32) map[int32]map[string][]running {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
	levels := map[int32]map[string][]running{}
	for _, c := range r.containers {
		if c.execution == nil {
			continue
		}
		pod := c.sandbox.record
		level := priority(pod.PodUID)
		if levels[level] == nil {
			levels[level] = map[string][]running{}
		}
		levels[level][pod.Namespace] = append(levels[level][pod.Namespace], running{c.execution, c.settled, pod.CreatedAt})
	}
	for _, level := range levels {
		for _, all := range level {
			slices.SortFunc(all, func(a, b running) int { return b.since.Compare(a.since) })
		}
	}
	return levels
}

// endAll ends one after the other; those that are left share the time that is left.
func endAll(all []running, deadline time.Time) {
	for i, one := range all {
		share := time.Until(deadline) / time.Duration(len(all)-i)
		_ = one.execution.stop(context.Background(), max(share, 0)) // fails with its context only
		<-one.settled
	}
}
