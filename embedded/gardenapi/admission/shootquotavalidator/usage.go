package shootquotavalidator

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// usage is the most that a shoot can use, with all its pools at their maximum. Machine and volume types that the
// profile does not offer any more count nothing.
func usage(shoot *core.Shoot, profile *core.CloudProfileSpec) (corev1.ResourceList, error) {
	sum := corev1.ResourceList{core.QuotaMetricLoadbalancer: resource.MustParse("1")} // of the API server
	if addons := shoot.Spec.Addons; addons != nil && addons.NginxIngress != nil && addons.NginxIngress.Enabled {
		add(sum, core.QuotaMetricLoadbalancer, resource.MustParse("1"), 1)
	}
	for i := range shoot.Spec.Provider.Workers {
		if err := addPool(sum, &shoot.Spec.Provider.Workers[i], profile); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func addPool(sum corev1.ResourceList, worker *core.Worker, profile *core.CloudProfileSpec) error {
	machines := int64(worker.Maximum)
	machine := core.MachineType{}
	if i := slices.IndexFunc(profile.MachineTypes, func(t core.MachineType) bool { return t.Name == worker.Machine.Type }); i >= 0 {
		machine = profile.MachineTypes[i]
	}
	add(sum, core.QuotaMetricCPU, machine.CPU, machines)
	add(sum, core.QuotaMetricGPU, machine.GPU, machines)
	add(sum, core.QuotaMetricMemory, machine.Memory, machines)

	if worker.Volume != nil {
		if err := addVolume(sum, ptr.Deref(worker.Volume.Type, ""), worker.Volume.VolumeSize, machines, profile); err != nil {
			return err
		}
	} else if storage := machine.Storage; storage != nil && storage.StorageSize != nil {
		add(sum, metricOf(storage.Class), *storage.StorageSize, machines)
	}
	for _, volume := range worker.DataVolumes {
		if err := addVolume(sum, ptr.Deref(volume.Type, ""), volume.VolumeSize, machines, profile); err != nil {
			return err
		}
	}
	return nil
}

func addVolume(sum corev1.ResourceList, name, size string, count int64, profile *core.CloudProfileSpec) error {
	quantity, err := resource.ParseQuantity(size)
	if err != nil {
		return fmt.Errorf("size of volume %q: %w", size, err)
	}
	class := core.VolumeClassStandard
	if i := slices.IndexFunc(profile.VolumeTypes, func(t core.VolumeType) bool { return t.Name == name }); i >= 0 {
		class = profile.VolumeTypes[i].Class
	}
	add(sum, metricOf(class), quantity, count)
	return nil
}

func metricOf(class string) corev1.ResourceName {
	if class == core.VolumeClassPremium {
		return core.QuotaMetricStoragePremium
	}
	return core.QuotaMetricStorageStandard
}

func add(sum corev1.ResourceList, metric corev1.ResourceName, amount resource.Quantity, count int64) {
	amount = amount.DeepCopy()
	amount.Mul(count)
	total := sum[metric]
	total.Add(amount)
	sum[metric] = total
}
