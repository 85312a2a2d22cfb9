package v1beta1

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// SetDefaults_SeedSpec makes sure that the settings and address families are there.
func SetDefaults_SeedSpec(obj *SeedSpec) {
	defaulting.Pointer(&obj.Settings, SeedSettings{})
	if len(obj.Networks.IPFamilies) == 0 {
		obj.Networks.IPFamilies = []IPFamily{IPFamilyIPv4}
	}
	seen := map[string]bool{}
	obj.Provider.Zones = slices.DeleteFunc(obj.Provider.Zones, func(zone string) bool {
		duplicate := seen[zone]
		seen[zone] = true
		return duplicate
	})
}

// SetDefaults_SeedSettings sets the switches of a seed.
func SetDefaults_SeedSettings(obj *SeedSettings) {
	defaulting.Pointer(&obj.ExcessCapacityReservation, SeedSettingExcessCapacityReservation{})
	defaulting.Pointer(&obj.Scheduling, SeedSettingScheduling{Visible: true})
	defaulting.Pointer(&obj.VerticalPodAutoscaler, SeedSettingVerticalPodAutoscaler{Enabled: true})
	defaulting.Pointer(&obj.DependencyWatchdog, SeedSettingDependencyWatchdog{})
	defaulting.Pointer(&obj.DependencyWatchdog.Weeder, SeedSettingDependencyWatchdogWeeder{Enabled: true})
	defaulting.Pointer(&obj.DependencyWatchdog.Prober, SeedSettingDependencyWatchdogProber{Enabled: true})
	defaulting.Pointer(&obj.TopologyAwareRouting, SeedSettingTopologyAwareRouting{})
}

// SetDefaults_SeedSettingExcessCapacityReservation keeps room for one control plane.
func SetDefaults_SeedSettingExcessCapacityReservation(obj *SeedSettingExcessCapacityReservation) {
	if len(obj.Configs) > 0 || obj.Enabled != nil && !*obj.Enabled {
		return
	}
	obj.Configs = []SeedSettingExcessCapacityReservationConfig{{Resources: corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("2"),
		corev1.ResourceMemory: resource.MustParse("6Gi"),
	}}}
}

// SetDefaults_SeedSettingLoadBalancerServicesZonalIngress gives every zone an ingress.
func SetDefaults_SeedSettingLoadBalancerServicesZonalIngress(obj *SeedSettingLoadBalancerServicesZonalIngress) {
	defaulting.Pointer(&obj.Enabled, true)
}
