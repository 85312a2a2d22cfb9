package v1alpha1

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	defaultLogLevel      = "info"
	defaultOperationMode = "block"
	// defaultCapacity is the size of a volume of etcd.
	defaultCapacity = "10Gi"
	hoursOfDay      = 24
)

// SetDefaultsGarden fills in the fields that a user left out. It does not change fields that are set.
func SetDefaultsGarden(garden *Garden) {
	defaultRuntimeCluster(&garden.Spec.RuntimeCluster)
	virtual := &garden.Spec.VirtualCluster
	defaultETCD(virtual)
	defaultGardener(&virtual.Gardener)
	if window := &virtual.Maintenance.TimeWindow; window.Begin == "" && window.End == "" {
		begin := rand.IntN(hoursOfDay)
		window.Begin, window.End = fmt.Sprintf("%02d0000+0000", begin), fmt.Sprintf("%02d0000+0000", (begin+1)%hoursOfDay)
	}
}

func defaultRuntimeCluster(runtime *RuntimeCluster) {
	if len(runtime.Networking.IPFamilies) == 0 {
		runtime.Networking.IPFamilies = []gardencorev1beta1.IPFamily{gardencorev1beta1.IPFamilyIPv4}
	}
	if runtime.Settings == nil {
		runtime.Settings = &Settings{}
	}
	autoscaler := &runtime.Settings.VerticalPodAutoscaler
	if *autoscaler == nil {
		*autoscaler = &SettingVerticalPodAutoscaler{}
	}
	(*autoscaler).Enabled = orDefault((*autoscaler).Enabled, true)
}

func defaultETCD(virtual *VirtualCluster) {
	if virtual.ETCD == nil {
		virtual.ETCD = &ETCD{}
	}
	if virtual.ETCD.Main == nil {
		virtual.ETCD.Main = &ETCDMain{}
	}
	if virtual.ETCD.Events == nil {
		virtual.ETCD.Events = &ETCDEvents{}
	}
	for _, storage := range []**Storage{&virtual.ETCD.Main.Storage, &virtual.ETCD.Events.Storage} {
		if *storage == nil {
			*storage = &Storage{}
		}
		(*storage).Capacity = orDefault((*storage).Capacity, resource.MustParse(defaultCapacity))
	}
}

func defaultGardener(gardener *Gardener) {
	if c := gardener.AdmissionController; c != nil {
		c.LogLevel = orDefault(c.LogLevel, defaultLogLevel)
		if c.ResourceAdmissionConfiguration != nil {
			c.ResourceAdmissionConfiguration.OperationMode = orDefault(c.ResourceAdmissionConfiguration.OperationMode, defaultOperationMode)
		}
	}
	if c := gardener.ControllerManager; c != nil {
		c.LogLevel = orDefault(c.LogLevel, defaultLogLevel)
	}
	if c := gardener.Scheduler; c != nil {
		c.LogLevel = orDefault(c.LogLevel, defaultLogLevel)
	}
}

func orDefault[T any](value *T, otherwise T) *T {
	if value != nil {
		return value
	}
	return ptr.To(otherwise)
}
