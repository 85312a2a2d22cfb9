package node

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	kubelettypes "k8s.io/kubelet/pkg/types"

	"github.com/gardener-up/gardener-up/embedded/node/pods"
	"github.com/gardener-up/gardener-up/embedded/node/runtime"
)

const (
	// askEvery is the interval at which containers that have just started are asked whether they are ready.
	askEvery = 250 * time.Millisecond
	// askAtLeast is how long they are even if the API says Ready, which may be from before a restart.
	askAtLeast = 2 * time.Second
	// askFor is how long they are; later the intervals of their own probes must do.
	askFor = 30 * time.Second
)

// readiness probes containers that have just started more often than their probes say. With the usual intervals of
// 10 s, servers of a control plane that wait for each other would lose most of their time. It makes the kubelet sync
// a pod repeatedly, because the kubelet also probes readiness whenever it syncs a pod that is not ready.
type readiness struct {
	index *pods.Index
	wake  chan struct{}
	// exists reports whether the runtime has a sandbox of the pod. The kubelet reports an error each time that it looks for another.
	exists func(podUID string) bool

	mu    sync.Mutex
	since map[string]time.Time // by pod UID
}

// inspector is the part of the kubelet that looks at a pod.
type inspector interface {
	RequestPodReinspect(types.UID)
	RequestPodRelist(types.UID)
}

func newReadiness(index *pods.Index, exists func(podUID string) bool) *readiness {
	return &readiness{index: index, exists: exists, wake: make(chan struct{}, 1), since: map[string]time.Time{}}
}

// hasSandbox asks a runtime whether it has a sandbox of a pod.
func hasSandbox(ctx context.Context, run *runtime.Runtime) func(podUID string) bool {
	return func(podUID string) bool {
		filter := &cri.PodSandboxFilter{LabelSelector: map[string]string{kubelettypes.KubernetesPodUIDLabel: podUID}}
		found, err := run.ListPodSandbox(ctx, filter)
		return err != nil || len(found) > 0
	}
}

// add begins or prolongs asking a pod.
func (r *readiness) add(podUID string) {
	r.mu.Lock()
	r.since[podUID] = time.Now()
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// expects reports whether the pod is being asked, so that a probe's failure is no news.
func (r *readiness) expects(podUID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.since[podUID]) < askFor
}

// begin probes in the background until ctx ends. It sleeps while there is nothing to probe.
func (r *readiness) begin(ctx context.Context, k inspector) {
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-r.wake:
			}
			for r.ask(k) {
				select {
				case <-ctx.Done():
					return
				case <-time.After(askEvery):
				}
			}
		}
	}()
}

// ask looks at all pods that are awaited and reports whether there are any.
func (r *readiness) ask(k inspector) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for podUID, since := range r.since {
		if asked := time.Since(since); asked > askFor || asked > askAtLeast && !r.index.Waits(podUID) || !r.exists(podUID) {
			delete(r.since, podUID)
			continue
		}
		k.RequestPodReinspect(types.UID(podUID))
		k.RequestPodRelist(types.UID(podUID))
	}
	return len(r.since) > 0
}
