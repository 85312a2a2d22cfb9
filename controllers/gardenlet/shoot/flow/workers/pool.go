package workers

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// pool converts a pool of the Shoot to a pool of the Worker.
func (w Workers) pool(worker gardencorev1beta1.Worker, osc *extensionsv1alpha1.OperatingSystemConfig) (extensionsv1alpha1.WorkerPool, error) {
	if osc == nil || osc.Status.CloudConfig == nil {
		return extensionsv1alpha1.WorkerPool{}, fmt.Errorf("operating system config of worker pool %q has no result", worker.Name)
	}
	pool := extensionsv1alpha1.WorkerPool{
		Name: worker.Name, Minimum: worker.Minimum, Maximum: worker.Maximum,
		MaxSurge:       ptr.Deref(worker.MaxSurge, intstr.FromInt32(1)),
		MaxUnavailable: ptr.Deref(worker.MaxUnavailable, intstr.FromInt32(0)),
		Annotations:    worker.Annotations, Labels: w.nodeLabels(worker), Taints: worker.Taints,
		MachineType: worker.Machine.Type, Architecture: ptr.To(ptr.Deref(worker.Machine.Architecture, gardencorev1beta1.ArchitectureAMD64)),
		ProviderConfig:        worker.ProviderConfig,
		KubernetesVersion:     ptr.To(operation.KubeletVersion(w.Shoot, worker)),
		KubeletConfig:         operation.KubeletConfig(w.Shoot, worker),
		KubeletDataVolumeName: worker.KubeletDataVolumeName,
		Zones:                 worker.Zones, Priority: worker.Priority, UpdateStrategy: worker.UpdateStrategy,
		MachineControllerManagerSettings: worker.MachineControllerManagerSettings,
		UserDataSecretRef: corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: osc.Status.CloudConfig.SecretRef.Name},
			Key:                  extensionsv1alpha1.OperatingSystemConfigSecretDataKey,
		},
		NodeTemplate: w.nodeTemplate(worker),
	}
	if image := worker.Machine.Image; image != nil {
		pool.MachineImage = extensionsv1alpha1.MachineImage{Name: image.Name, Version: ptr.Deref(image.Version, "")}
	}
	if v := worker.Volume; v != nil {
		pool.Volume = &extensionsv1alpha1.Volume{Name: v.Name, Type: v.Type, Size: v.VolumeSize, Encrypted: v.Encrypted}
	}
	for _, v := range worker.DataVolumes {
		pool.DataVolumes = append(pool.DataVolumes, extensionsv1alpha1.DataVolume{Name: v.Name, Type: v.Type, Size: v.VolumeSize, Encrypted: v.Encrypted})
	}
	if a := worker.ClusterAutoscaler; a != nil {
		text := func(value *float64) *string {
			if value == nil {
				return nil
			}
			return ptr.To(strconv.FormatFloat(*value, 'f', -1, 64))
		}
		pool.ClusterAutoscaler = &extensionsv1alpha1.ClusterAutoscalerOptions{
			ScaleDownUtilizationThreshold:    text(a.ScaleDownUtilizationThreshold),
			ScaleDownGpuUtilizationThreshold: text(a.ScaleDownGpuUtilizationThreshold),
			ScaleDownUnneededTime:            a.ScaleDownUnneededTime, ScaleDownUnreadyTime: a.ScaleDownUnreadyTime,
			MaxNodeProvisionTime: a.MaxNodeProvisionTime,
		}
	}
	return pool, nil
}

// nodeLabels are those of the pool and those that Gardener adds to its nodes.
func (w Workers) nodeLabels(worker gardencorev1beta1.Worker) map[string]string {
	labels := map[string]string{}
	for key, value := range worker.Labels {
		labels[key] = value
	}
	labels["node.kubernetes.io/role"] = "node"
	labels["kubernetes.io/arch"] = ptr.Deref(worker.Machine.Architecture, gardencorev1beta1.ArchitectureAMD64)
	labels[constants.LabelWorkerPool] = worker.Name
	labels[constants.LabelWorkerPoolDeprecated] = worker.Name
	labels[constants.LabelWorkerKubernetesVersion] = operation.KubeletVersion(w.Shoot, worker)
	labels[constants.LabelNodeLocalDNS] = strconv.FormatBool(helper.WantsNodeLocalDNS(w.Shoot))
	if worker.SystemComponents == nil || worker.SystemComponents.Allow {
		labels[constants.LabelWorkerPoolSystemComponents] = "true"
	}
	cri := worker.CRI
	if cri == nil {
		cri = &gardencorev1beta1.CRI{Name: gardencorev1beta1.CRINameContainerD}
	}
	labels[constants.LabelWorkerCRIName] = string(cri.Name)
	for _, runtime := range cri.ContainerRuntimes {
		labels[constants.LabelPrefixContainerRuntimeWorker+runtime.Type] = "true"
		labels[constants.LabelPrefixContainerRuntime+runtime.Type] = "true"
	}
	return labels
}

// nodeTemplate describes the size of a node of an empty pool for the autoscaler.
func (w Workers) nodeTemplate(worker gardencorev1beta1.Worker) *extensionsv1alpha1.NodeTemplate {
	for _, machine := range w.MachineTypes {
		if machine.Name == worker.Machine.Type {
			return &extensionsv1alpha1.NodeTemplate{Capacity: corev1.ResourceList{
				corev1.ResourceCPU: machine.CPU, corev1.ResourceMemory: machine.Memory, "gpu": machine.GPU,
			}}
		}
	}
	return nil
}
