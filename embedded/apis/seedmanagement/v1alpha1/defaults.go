package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// SetDefaults_GardenletConfig lets a gardenlet bootstrap with a token and inherit settings.
func SetDefaults_GardenletConfig(obj *GardenletConfig) {
	defaulting.Pointer(&obj.Bootstrap, BootstrapToken)
	defaulting.Pointer(&obj.MergeWithParent, true)
	defaulting.Pointer(&obj.Deployment, GardenletDeployment{})
}

// SetDefaults_GardenletDeployment sets replicas and names of a gardenlet's Deployment.
func SetDefaults_GardenletDeployment(obj *GardenletDeployment) {
	defaulting.Pointer(&obj.ReplicaCount, 2)
	defaulting.Pointer(&obj.RevisionHistoryLimit, 2)
	defaulting.Pointer(&obj.ServiceAccountName, "gardenlet")
	defaulting.Pointer(&obj.EnableHealthProbes, true)
	defaulting.Pointer(&obj.Image, Image{})
}

// SetDefaults_Image pulls the tag latest always and other tags once.
func SetDefaults_Image(obj *Image) {
	if obj.Tag != nil && *obj.Tag == "latest" {
		defaulting.Pointer(&obj.PullPolicy, corev1.PullAlways)
	}
	defaulting.Pointer(&obj.PullPolicy, corev1.PullIfNotPresent)
}

// SetDefaults_ManagedSeedSetSpec asks for one replica.
func SetDefaults_ManagedSeedSetSpec(obj *ManagedSeedSetSpec) {
	defaulting.Pointer(&obj.Replicas, 1)
	defaulting.Pointer(&obj.UpdateStrategy, UpdateStrategy{})
	defaulting.Pointer(&obj.UpdateStrategy.Type, RollingUpdateStrategyType)
	defaulting.Pointer(&obj.UpdateStrategy.RollingUpdate, RollingUpdateStrategy{})
	defaulting.Pointer(&obj.UpdateStrategy.RollingUpdate.Partition, 0)
	defaulting.Pointer(&obj.RevisionHistoryLimit, 10)
}

// SetDefaults_SeedAutoscalerSpec keeps one seed.
func SetDefaults_SeedAutoscalerSpec(obj *SeedAutoscalerSpec) {
	defaulting.Pointer(&obj.MinReplicas, 1)
}
