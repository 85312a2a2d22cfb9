package runtime

import (
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/node/images"
)

// MissingImage is a container that is simulated because its image could not be pulled.
type MissingImage struct {
	Namespace, Pod, PodUID, Container string
	// Because says why, for users.
	Because string
}

// OnMissingImage sets a function that is called, without any lock held, when such a container is created.
func (r *Runtime) OnMissingImage(tell func(MissingImage)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missing = tell
}

// missingBecause says why the image of a container that would run in a sandbox is missing; it is empty if it is not.
func missingBecause(image *cri.ImageSpec) string {
	reason, isMissing := images.Missing(image.GetImage())
	if !isMissing {
		return ""
	}
	return "image could not be pulled: " + reason
}

// passesProbes reports whether a container is simulated in place of one in a sandbox. Its pod still has probes and hooks, which the kubelet gives ExecSync: they
// pass, as nothing checks other simulated containers.
func (p *pods) passesProbes(id string) bool {
	c, err := p.container(id)
	return err == nil && c.record.Missing
}

func (r *Runtime) tellMissing(c *container) {
	if !c.record.Missing {
		return
	}
	r.mu.Lock()
	tell := r.missing
	r.mu.Unlock()
	pod := c.sandbox.record
	tell(MissingImage{Namespace: pod.Namespace, Pod: pod.Name, PodUID: pod.PodUID, Container: c.record.Name, Because: c.record.SimulatedBecause})
}
