package maintenance

import (
	"strings"
	"time"

	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Reasons of the events about updates.
const (
	ReasonKubernetes   = "KubernetesVersionMaintenance"
	ReasonMachineImage = "MachineImageVersionMaintenance"
)

// nothingChanged begins the description of maintenance that found nothing to update.
const nothingChanged = "All versions are up to date."

// Change is one version that maintenance updates.
type Change struct {
	Reason string // reason of the event
	Text   string
}

// Plan is what maintenance will do with a Shoot.
type Plan struct {
	Shoot     *gardencorev1beta1.Shoot // the desired Shoot
	Changes   []Change
	Operation string   // requested by annotation; empty if none
	Restarted []string // tasks that restart components
}

// Description describes the plan for users.
func (p Plan) Description() string {
	var texts []string
	if len(p.Changes) == 0 && p.Operation == "" {
		texts = append(texts, nothingChanged)
	}
	for _, change := range p.Changes {
		texts = append(texts, change.Text)
	}
	if p.Operation != "" {
		texts = append(texts, "Operation "+p.Operation+" is started.")
	}
	if len(p.Restarted) > 0 {
		texts = append(texts, "Tasks "+strings.Join(p.Restarted, ", ")+" are ordered.")
	}
	return strings.Join(texts, " ")
}

// PlanFor decides on the versions and operations of a Shoot, given its profile. It does not change the given Shoot.
func PlanFor(shoot *gardencorev1beta1.Shoot, profile *gardencorev1beta1.CloudProfileSpec, now time.Time) Plan {
	p := Plan{Shoot: shoot.DeepCopy()}
	p.versions(profile, now)
	if p.Shoot.Annotations[constants.GardenerOperation] == constants.ShootOperationMaintain {
		delete(p.Shoot.Annotations, constants.GardenerOperation)
	}
	p.operation(now)
	return p
}

// the control plane first: pools must not be newer, and images must fit its version
func (p *Plan) versions(profile *gardencorev1beta1.CloudProfileSpec, now time.Time) {
	spec := &p.Shoot.Spec
	autoKubernetes, autoImages := true, true
	if m := spec.Maintenance; m != nil && m.AutoUpdate != nil {
		autoKubernetes, autoImages = m.AutoUpdate.KubernetesVersion, ptr.Deref(m.AutoUpdate.MachineImageVersion, true)
	}
	offered := profile.Kubernetes.Versions
	if next, why := nextKubernetes(offered, spec.Kubernetes.Version, autoKubernetes, now); next != "" {
		p.add(ReasonKubernetes, "Control plane", spec.Kubernetes.Version, next, why)
		spec.Kubernetes.Version = next
	}
	for i := range spec.Provider.Workers {
		worker := &spec.Provider.Workers[i]
		if own := worker.Kubernetes; own != nil && ptr.Deref(own.Version, "") != "" {
			if next, why := nextKubernetes(upTo(offered, spec.Kubernetes.Version), *own.Version, autoKubernetes, now); next != "" {
				p.add(ReasonKubernetes, "Worker pool "+worker.Name, *own.Version, next, why)
				own.Version = &next
			}
		}
		if image := worker.Machine.Image; image != nil && image.Version != nil {
			if next, why := nextImage(profile.MachineImages, worker, helper.KubernetesVersion(p.Shoot, worker), autoImages, now); next != "" {
				p.add(ReasonMachineImage, "Worker pool "+worker.Name, image.Name+" "+*image.Version, next, why)
				image.Version = &next
			}
		}
	}
}

func (p *Plan) add(reason, what, from, to, why string) {
	p.Changes = append(p.Changes, Change{Reason: reason, Text: what + ": updated from " + from + " to " + to + " (" + why + ")."})
}
