package ineffective

import (
	"sync"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Shoot is about Shoots.
var Shoot = Table[*core.Shoot]{
	Fields: []Field{
		{Path: "spec.accessRestrictions"},
		{Path: "spec.dns.providers[].domains"},
		{Path: "spec.dns.providers[].zones.exclude"},
		{Path: "spec.kubernetes.allowPrivilegedContainers", Instead: "the admission plugin PodSecurity"},
		{Path: "spec.kubernetes.clusterAutoscaler.autoscaling"},
		{Path: "spec.kubernetes.clusterAutoscaler.maxEmptyBulkDelete", Instead: "spec.kubernetes.clusterAutoscaler.maxScaleDownParallelism"},
		{Path: "spec.kubernetes.etcd"},
		{Path: "spec.kubernetes.kubeAPIServer.autoscaling"},
		{Path: "spec.kubernetes.kubeAPIServer.enableBasicAuthentication", Instead: "the subresource adminkubeconfig"},
		{Path: "spec.kubernetes.kubeAPIServer.oidcConfig.clientAuthentication"},
		{Path: "spec.kubernetes.kubeAPIServer.serviceAccountConfig.signingKeySecretName", Instead: "the operation rotate-serviceaccount-key-start"},
		{Path: "spec.kubernetes.kubeControllerManager.nodeCIDRMaskSizeIPv6"},
		{Path: "spec.kubernetes.kubeControllerManager.podEvictionTimeout", Instead: "spec.kubernetes.kubeAPIServer.defaultUnreachableTolerationSeconds"},
		{Path: "spec.kubernetes.kubeScheduler.kubeMaxPDVols"},
		{Path: "spec.kubernetes.kubelet.imagePullCredentialsVerificationPolicy"},
		{Path: "spec.kubernetes.kubelet.imagePullProgressDeadline"},
		{Path: "spec.kubernetes.kubelet.preloadedImagesVerificationAllowlist"},
		{Path: "spec.monitoring"},
		{Path: "spec.provider.workers[].controlPlane"},
		{Path: "spec.provider.workers[].kubernetes.kubelet.imagePullCredentialsVerificationPolicy"},
		{Path: "spec.provider.workers[].kubernetes.kubelet.imagePullProgressDeadline"},
		{Path: "spec.provider.workers[].kubernetes.kubelet.preloadedImagesVerificationAllowlist"},
		{Path: "spec.provider.workers[].machineControllerManager.autoPreserveFailedMachineMax"},
		{Path: "spec.systemComponents.coreDNS.autoscaling"},
	},
	Default: sync.OnceValue(func() *core.Shoot {
		shoot := &core.Shoot{Spec: core.ShootSpec{Provider: core.Provider{Workers: []core.Worker{{}}}}}
		core.SetObjectDefaults_Shoot(shoot)
		return shoot
	}),
}
