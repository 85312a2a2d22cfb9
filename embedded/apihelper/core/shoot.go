package core

import (
	"strings"

	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// TechnicalID returns the name of the control plane namespace of a shoot in its seed.
func TechnicalID(project, shoot string) string {
	return constants.TechnicalIDPrefix + project + "--" + shoot
}

// ParseTechnicalID is the reverse of TechnicalID. ok is false for names that are not technical IDs.
func ParseTechnicalID(id string) (project, shoot string, ok bool) {
	rest, ok := strings.CutPrefix(id, constants.TechnicalIDPrefix)
	if !ok {
		return "", "", false
	}
	project, shoot, ok = strings.Cut(rest, "--")
	return project, shoot, ok && project != "" && shoot != ""
}

// IsWorkerless reports whether a shoot never has nodes.
func IsWorkerless(shoot *core.Shoot) bool { return len(shoot.Spec.Provider.Workers) == 0 }

// HibernationIsEnabled reports whether the specification of a shoot asks for hibernation. The present state is in
// status.hibernated.
func HibernationIsEnabled(shoot *core.Shoot) bool {
	hibernation := shoot.Spec.Hibernation
	return hibernation != nil && hibernation.Enabled != nil && *hibernation.Enabled
}

// DeletionIsForced reports whether the owner of a shoot that is being deleted accepts leftovers.
func DeletionIsForced(shoot *core.Shoot) bool {
	return shoot.DeletionTimestamp != nil && ConfirmsForcedDeletion(shoot.Annotations)
}

// ConfirmsForcedDeletion reports whether annotations ask for a forced deletion.
func ConfirmsForcedDeletion(annotations map[string]string) bool {
	switch strings.ToLower(annotations[constants.ConfirmationForceDeletion]) {
	case "1", "t", "true":
		return true
	}
	return false
}

// HibernationState is one of four states of hibernation, as the column Hibernation shows it.
type HibernationState string

const (
	Awake       HibernationState = "Awake"
	Hibernating HibernationState = "Hibernating"
	Hibernated  HibernationState = "Hibernated"
	WakingUp    HibernationState = "Waking Up"
)

// HibernationStateOf compares the specification of a shoot with its status.
func HibernationStateOf(shoot *core.Shoot) HibernationState {
	wanted, is := HibernationIsEnabled(shoot), shoot.Status.IsHibernated
	switch {
	case wanted && is:
		return Hibernated
	case wanted:
		return Hibernating
	case is:
		return WakingUp
	default:
		return Awake
	}
}

// WantsVerticalPodAutoscaler reports whether a shoot needs the vertical pod autoscaler.
func WantsVerticalPodAutoscaler(shoot *core.Shoot) bool {
	vpa := shoot.Spec.Kubernetes.VerticalPodAutoscaler
	return vpa != nil && vpa.Enabled
}

// WantsClusterAutoscaler reports whether the size of a worker pool may change.
func WantsClusterAutoscaler(shoot *core.Shoot) bool {
	for _, worker := range shoot.Spec.Provider.Workers {
		if worker.Maximum > worker.Minimum {
			return true
		}
	}
	return false
}

// WantsKubeProxy reports whether the nodes of a shoot need kube-proxy.
func WantsKubeProxy(shoot *core.Shoot) bool {
	if IsWorkerless(shoot) {
		return false
	}
	proxy := shoot.Spec.Kubernetes.KubeProxy
	return proxy == nil || proxy.Enabled == nil || *proxy.Enabled
}

// WantsSSHAccess reports whether SSH access to the nodes of a shoot is allowed.
func WantsSSHAccess(shoot *core.Shoot) bool {
	if IsWorkerless(shoot) {
		return false
	}
	settings := shoot.Spec.Provider.WorkersSettings
	return settings == nil || settings.SSHAccess == nil || settings.SSHAccess.Enabled
}

// WantsNodeLocalDNS reports whether the nodes of a shoot need a DNS cache. The legacy annotation applies if the
// specification does not set it.
func WantsNodeLocalDNS(shoot *core.Shoot) bool {
	if IsWorkerless(shoot) {
		return false
	}
	if components := shoot.Spec.SystemComponents; components != nil && components.NodeLocalDNS != nil {
		return components.NodeLocalDNS.Enabled
	}
	return isTrue(shoot.Annotations[constants.ShootNodeLocalDNS])
}

// FailureTolerance returns the failure tolerance type of a control plane, or "" if there is none.
func FailureTolerance(shoot *core.Shoot) core.FailureToleranceType {
	if shoot.Spec.ControlPlane == nil || shoot.Spec.ControlPlane.HighAvailability == nil {
		return ""
	}
	return shoot.Spec.ControlPlane.HighAvailability.FailureTolerance.Type
}

// KubeletConfig returns the kubelet configuration of a worker pool, or that of the shoot if the pool has none. It may be
// nil.
func KubeletConfig(shoot *core.Shoot, worker *core.Worker) *core.KubeletConfig {
	if worker.Kubernetes != nil && worker.Kubernetes.Kubelet != nil {
		return worker.Kubernetes.Kubelet
	}
	return shoot.Spec.Kubernetes.Kubelet
}

// KubernetesVersion returns the kubelet version of a worker pool, or that of the control plane if the pool has none.
func KubernetesVersion(shoot *core.Shoot, worker *core.Worker) string {
	if worker.Kubernetes != nil && worker.Kubernetes.Version != nil && *worker.Kubernetes.Version != "" {
		return *worker.Kubernetes.Version
	}
	return shoot.Spec.Kubernetes.Version
}

// IsFailed reports whether the last operation has failed for good for the current generation.
func IsFailed(shoot *core.Shoot) bool {
	operation := shoot.Status.LastOperation
	return operation != nil && operation.State == core.LastOperationStateFailed &&
		shoot.Generation == shoot.Status.ObservedGeneration
}

// IsIgnored reports whether an annotation stops the reconciliation of a shoot.
func IsIgnored(shoot *core.Shoot) bool { return isTrue(shoot.Annotations[constants.ShootIgnore]) }

// DeletionIsConfirmed reports whether an annotation confirms the deletion of an object.
func DeletionIsConfirmed(annotations map[string]string) bool {
	return isTrue(annotations[constants.ConfirmationDeletion])
}

func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "1", "t", "true":
		return true
	default:
		return false
	}
}

// IsReleased reports whether the last operation of an object ended its time on a seed: that seed has released it, or another one has taken it
// without waiting for that.
func IsReleased(last *core.LastOperation) bool {
	return last != nil && last.Type == core.LastOperationTypeMigrate &&
		(last.State == core.LastOperationStateSucceeded || last.State == core.LastOperationStateAborted)
}

// ResponsibleSeed is the seed whose gardenlet is responsible for a shoot: the one with the control plane, until it has released it.
func ResponsibleSeed(shoot *core.Shoot) string {
	if held := ptr.Deref(shoot.Status.SeedName, ""); held != "" && held != ptr.Deref(shoot.Spec.SeedName, "") {
		return held
	}
	return ptr.Deref(shoot.Spec.SeedName, "")
}

// Migrates reports whether the control plane of a shoot moves to another seed: from the choice of that seed until it is restored
// there.
func Migrates(shoot *core.Shoot) bool {
	held, wanted, last := shoot.Status.SeedName, shoot.Spec.SeedName, shoot.Status.LastOperation
	switch {
	case held != nil && wanted != nil && *held != *wanted:
		return true
	case last == nil:
		return false
	}
	return last.Type == core.LastOperationTypeMigrate || last.Type == core.LastOperationTypeRestore && last.State != core.LastOperationStateSucceeded
}
