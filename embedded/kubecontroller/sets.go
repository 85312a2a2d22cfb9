package kubecontroller

import "k8s.io/kubernetes/cmd/kube-controller-manager/names"

// GardenControllers are the controllers of a cluster without nodes.
func GardenControllers() []string {
	return []string{
		names.NamespaceController,
		names.GarbageCollectorController,
		names.ResourceQuotaController,
		names.ServiceAccountController,
		names.ServiceAccountTokenController,
		names.RootCACertificatePublisherController,
		names.ClusterRoleAggregationController,
		names.CertificateSigningRequestSigningController,
		names.CertificateSigningRequestCleanerController,
		names.TokenCleanerController, // bootstrap tokens of gardenlets expire
	}
}

// SeedControllers are the controllers of a cluster with embedded nodes: those of the garden, and those that make and maintain pods.
//
// These controllers are left out: all that write Endpoints, which refuse the loopback addresses of embedded pods; those for clouds,
// attached disks and address ranges of nodes; and autoscaling by metrics, because nothing measures metrics.
func SeedControllers() []string {
	return append(GardenControllers(),
		names.CertificateSigningRequestApprovingController,
		names.DeploymentController,
		names.ReplicaSetController,
		names.StatefulSetController,
		names.DaemonSetController,
		names.JobController,
		names.CronJobController,
		names.DisruptionController,
		names.NodeLifecycleController,
		names.TaintEvictionController,
		names.PodGarbageCollectorController,
		names.TTLAfterFinishedController,
		names.PersistentVolumeBinderController,
		names.PersistentVolumeClaimProtectionController,
		names.PersistentVolumeProtectionController,
		names.EphemeralVolumeController,
	)
}
