package core

import (
	"strings"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// TechnicalID is the name of a shoot's control plane namespace in its seed.
func TechnicalID(project, shoot string) string {
	return constants.TechnicalIDPrefix + project + "--" + shoot
}

// ParseTechnicalID is the reverse of TechnicalID; ok is false for other names.
func ParseTechnicalID(id string) (project, shoot string, ok bool) {
	rest, ok := strings.CutPrefix(id, constants.TechnicalIDPrefix)
	if !ok {
		return "", "", false
	}
	project, shoot, ok = strings.Cut(rest, "--")
	return project, shoot, ok && project != "" && shoot != ""
}

// IsWorkerless tells whether a cluster is one that never has nodes.
func IsWorkerless(shoot *core.Shoot) bool { return len(shoot.Spec.Provider.Workers) == 0 }

// HibernationIsEnabled tells whether a cluster is to sleep. What it does now is in status.hibernated.
func HibernationIsEnabled(shoot *core.Shoot) bool {
	hibernation := shoot.Spec.Hibernation
	return hibernation != nil && hibernation.Enabled != nil && *hibernation.Enabled
}

// HibernationState is one of four states of hibernation, in the words of the column Hibernation.
type HibernationState string

const (
	Awake       HibernationState = "Awake"
	Hibernating HibernationState = "Hibernating"
	Hibernated  HibernationState = "Hibernated"
	WakingUp    HibernationState = "Waking Up"
)

// HibernationStateOf compares what a cluster is to do with what it does.
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

// WantsVerticalPodAutoscaler tells whether the autoscaler is to run in a cluster.
func WantsVerticalPodAutoscaler(shoot *core.Shoot) bool {
	vpa := shoot.Spec.Kubernetes.VerticalPodAutoscaler
	return vpa != nil && vpa.Enabled
}

// WantsClusterAutoscaler tells whether a worker pool may change its size.
func WantsClusterAutoscaler(shoot *core.Shoot) bool {
	for _, worker := range shoot.Spec.Provider.Workers {
		if worker.Maximum > worker.Minimum {
			return true
		}
	}
	return false
}

// WantsKubeProxy tells whether kube-proxy is to run on the nodes.
func WantsKubeProxy(shoot *core.Shoot) bool {
	if IsWorkerless(shoot) {
		return false
	}
	proxy := shoot.Spec.Kubernetes.KubeProxy
	return proxy == nil || proxy.Enabled == nil || *proxy.Enabled
}

// WantsSSHAccess tells whether nodes may be reached by SSH.
func WantsSSHAccess(shoot *core.Shoot) bool {
	if IsWorkerless(shoot) {
		return false
	}
	settings := shoot.Spec.Provider.WorkersSettings
	return settings == nil || settings.SSHAccess == nil || settings.SSHAccess.Enabled
}

// WantsNodeLocalDNS tells whether the nodes are to have a DNS cache. The annotation of former releases counts where the
// specification says nothing.
func WantsNodeLocalDNS(shoot *core.Shoot) bool {
	if IsWorkerless(shoot) {
		return false
	}
	if components := shoot.Spec.SystemComponents; components != nil && components.NodeLocalDNS != nil {
		return components.NodeLocalDNS.Enabled
	}
	return isTrue(shoot.Annotations[constants.ShootNodeLocalDNS])
}

// FailureTolerance is what a control plane is to survive; empty if nothing.
func FailureTolerance(shoot *core.Shoot) core.FailureToleranceType {
	if shoot.Spec.ControlPlane == nil || shoot.Spec.ControlPlane.HighAvailability == nil {
		return ""
	}
	return shoot.Spec.ControlPlane.HighAvailability.FailureTolerance.Type
}

// KubeletConfig is the kubelet configuration of a pool: its own, or else that of the cluster. It may be nil.
func KubeletConfig(shoot *core.Shoot, worker *core.Worker) *core.KubeletConfig {
	if worker.Kubernetes != nil && worker.Kubernetes.Kubelet != nil {
		return worker.Kubernetes.Kubelet
	}
	return shoot.Spec.Kubernetes.Kubelet
}

// KubernetesVersion is the version of a pool's kubelet: its own, or else that of the control plane.
func KubernetesVersion(shoot *core.Shoot, worker *core.Worker) string {
	if worker.Kubernetes != nil && worker.Kubernetes.Version != nil && *worker.Kubernetes.Version != "" {
		return *worker.Kubernetes.Version
	}
	return shoot.Spec.Kubernetes.Version
}

// IsFailed tells whether the last operation was given up for the current generation.
func IsFailed(shoot *core.Shoot) bool {
	operation := shoot.Status.LastOperation
	return operation != nil && operation.State == core.LastOperationStateFailed &&
		shoot.Generation == shoot.Status.ObservedGeneration
}

// IsIgnored tells whether an annotation stops the reconciliation of a shoot.
func IsIgnored(shoot *core.Shoot) bool { return isTrue(shoot.Annotations[constants.ShootIgnore]) }

// DeletionIsConfirmed tells whether an annotation permits the deletion of an object.
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
