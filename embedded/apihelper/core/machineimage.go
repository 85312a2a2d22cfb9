package core

import (
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ArchitectureOf returns the processor architecture of a worker pool.
func ArchitectureOf(worker *core.Worker) string {
	return ptr.Deref(worker.Machine.Architecture, core.ArchitectureAMD64)
}

// UnfitImage returns the reason why a worker pool with a kubelet version cannot use an image, or "" if it can. A property
// that the image does not specify is no reason.
func UnfitImage(image core.MachineImageVersion, worker *core.Worker, kubelet string) string {
	if architecture := ArchitectureOf(worker); len(image.Architectures) > 0 && !slices.Contains(image.Architectures, architecture) {
		return "the image is not for architecture " + architecture
	}
	if reason := unfitRuntime(image.CRI, ptr.Deref(worker.CRI, core.CRI{Name: core.CRINameContainerD})); reason != "" {
		return reason
	}
	if image.KubeletVersionConstraint == nil {
		return ""
	}
	constraint, err := semver.NewConstraint(*image.KubeletVersionConstraint)
	if err != nil { // validation of the profile refuses it
		return ""
	}
	version, err := semver.NewVersion(kubelet)
	if err == nil && !constraint.Check(version) {
		return fmt.Sprintf("the image is for Kubernetes %s, not for %s", *image.KubeletVersionConstraint, version)
	}
	return ""
}

func unfitRuntime(offered []core.CRI, wanted core.CRI) string {
	if len(offered) == 0 {
		return ""
	}
	i := slices.IndexFunc(offered, func(one core.CRI) bool { return one.Name == wanted.Name })
	if i < 0 {
		return fmt.Sprintf("the image does not have %s", wanted.Name)
	}
	for _, runtime := range wanted.ContainerRuntimes {
		if !slices.ContainsFunc(offered[i].ContainerRuntimes, func(one core.ContainerRuntime) bool { return one.Type == runtime.Type }) {
			return fmt.Sprintf("the image does not have the container runtime %s", runtime.Type)
		}
	}
	return ""
}
