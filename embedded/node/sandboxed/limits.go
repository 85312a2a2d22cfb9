package sandboxed

import (
	"context"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
)

// leastScore is the least oom_score_adj of pods: the kernel shall end them before processes of the landscape, which have 0, when the machine has no memory left.
const leastScore = 300

// scoreOf is what the kubelet asks for, but never less than leastScore.
func scoreOf(config *cri.ContainerConfig) int {
	return int(min(max(config.GetLinux().GetResources().GetOomScoreAdj(), leastScore), 1000))
}

// UpdateLimits gives a pod the limits that it has now. It is no error if the pod has no sandbox.
func (h *Host) UpdateLimits(sandboxID string) error {
	h.mu.Lock()
	e := h.pods[sandboxID]
	h.mu.Unlock()
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pod == nil {
		return nil
	}
	limits := h.config.Limits(e.uid)
	if err := e.pod.SetLimits(limits); err != nil {
		return err
	}
	e.limits = limits
	return nil
}

// watchPeriod is the interval for looking at the memory of pods.
const watchPeriod = time.Second

// Watch ends pods that have had too much memory, until the context ends. Without control groups it measures them. With groups of version 1 the kernel has
// ended one process of the pod, and the others follow. With those of version 2 it finds nothing.
func (h *Host) Watch(ctx context.Context) {
	tick := time.NewTicker(watchPeriod)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		h.look()
	}
}

func (h *Host) look() {
	running := h.allRunning()
	if h.config.Group.Exists() {
		for _, r := range running {
			if r.pod.OutOfMemory() {
				r.pod.EndOutOfMemory()
			}
		}
		return
	}
	for i := range running {
		running[i].used = running[i].pod.Memory()
	}
	for _, over := range excessive(running, h.config.Memory) {
		h.config.Log.Info("Ending a pod that takes too much memory", "uid", over.uid, "bytes", over.used, "limit", over.most)
		over.pod.EndOutOfMemory()
	}
}

// measured is a pod and the memory that it takes and may take, in bytes.
type measured struct {
	uid        string
	used, most int64
	pod        *pod.Pod
}

func (h *Host) allRunning() (running []measured) {
	h.mu.Lock()
	entries := make([]*entry, 0, len(h.pods))
	for _, e := range h.pods {
		entries = append(entries, e)
	}
	h.mu.Unlock()
	for _, e := range entries {
		if !e.mu.TryLock() { // its sandbox is starting
			continue
		}
		if e.pod != nil && !ended(e.pod) {
			running = append(running, measured{uid: e.uid, most: e.limits.OfSandbox().Memory, pod: e.pod})
		}
		e.mu.Unlock()
	}
	return running
}

func ended(p *pod.Pod) bool {
	select {
	case <-p.Ended():
		return true
	default:
		return false
	}
}

// excessive returns the pods to end: those above their limits, and the largest of the others while all together are above the limit of the node.
func excessive(all []measured, node int64) (over []measured) {
	var within []measured
	var sum int64
	for _, m := range all {
		if m.most > 0 && m.used > m.most {
			over = append(over, m)
			continue
		}
		within = append(within, m)
		sum += m.used
	}
	for node > 0 && sum > node && len(within) > 0 {
		largest := 0
		for i := range within {
			if within[i].used > within[largest].used {
				largest = i
			}
		}
		over, sum = append(over, within[largest]), sum-within[largest].used
		within = append(within[:largest], within[largest+1:]...)
	}
	return over
}
