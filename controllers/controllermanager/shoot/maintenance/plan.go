package maintenance

import (
	"strings"
	"time"

	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Reasons of the events about changes.
const (
	ReasonKubernetes   = "KubernetesVersionMaintenance"
	ReasonMachineImage = "MachineImageVersionMaintenance"
)

// nothingChanged begins the description of maintenance that found all versions as they should be.
const nothingChanged = "All versions are up to date."

// Change is one version that maintenance changes.
type Change struct {
	Reason string // of the event
	Text   string
}

// Plan is what maintenance does with a Shoot.
type Plan struct {
	Shoot     *gardencorev1beta1.Shoot // as it is to be
	Changes   []Change
	Operation string   // asked for by annotation; empty: none
	Restarted []string // tasks that restart something
}

// Description tells people about the plan.
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

// PlanFor decides on versions and operations of a Shoot with a profile. The given Shoot stays as it is.
func PlanFor(shoot *gardencorev1beta1.Shoot, profile *gardencorev1beta1.CloudProfileSpec, now time.Time) Plan {
	p := Plan{Shoot: shoot.DeepCopy()}
	p.versions(profile, now)
	if p.Shoot.Annotations[constants.GardenerOperation] == constants.ShootOperationMaintain {
		delete(p.Shoot.Annotations, constants.GardenerOperation)
	}
	p.operation(now)
	return p
}

// versions of the control plane come first: pools may not be newer, and images have to fit.
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
