package v1alpha1

import corev1 "k8s.io/api/core/v1"

// SetDefaults_GardenletConfig lets a gardenlet bootstrap with a token and inherit settings.
func SetDefaults_GardenletConfig(obj *GardenletConfig) {
	setDefault(&obj.Bootstrap, BootstrapToken)
	setDefault(&obj.MergeWithParent, true)
	setDefault(&obj.Deployment, GardenletDeployment{})
}

// SetDefaults_GardenletDeployment sets replicas and names of a gardenlet's Deployment.
func SetDefaults_GardenletDeployment(obj *GardenletDeployment) {
	setDefault(&obj.ReplicaCount, 2)
	setDefault(&obj.RevisionHistoryLimit, 2)
	setDefault(&obj.ServiceAccountName, "gardenlet")
	setDefault(&obj.EnableHealthProbes, true)
	setDefault(&obj.Image, Image{})
}

// SetDefaults_Image pulls the tag latest always and other tags once.
func SetDefaults_Image(obj *Image) {
	if obj.Tag != nil && *obj.Tag == "latest" {
		setDefault(&obj.PullPolicy, corev1.PullAlways)
	}
	setDefault(&obj.PullPolicy, corev1.PullIfNotPresent)
}

// SetDefaults_ManagedSeedSetSpec asks for one replica.
func SetDefaults_ManagedSeedSetSpec(obj *ManagedSeedSetSpec) {
	setDefault(&obj.Replicas, 1)
	setDefault(&obj.UpdateStrategy, UpdateStrategy{})
	setDefault(&obj.UpdateStrategy.Type, RollingUpdateStrategyType)
	setDefault(&obj.UpdateStrategy.RollingUpdate, RollingUpdateStrategy{})
	setDefault(&obj.UpdateStrategy.RollingUpdate.Partition, 0)
	setDefault(&obj.RevisionHistoryLimit, 10)
}

// SetDefaults_SeedAutoscalerSpec keeps one seed.
func SetDefaults_SeedAutoscalerSpec(obj *SeedAutoscalerSpec) {
	setDefault(&obj.MinReplicas, 1)
}

// setDefault makes field point to value unless it points somewhere.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		set := value // value itself would be moved to the heap by each call, also by those that set nothing
		*field = &set
	}
}
