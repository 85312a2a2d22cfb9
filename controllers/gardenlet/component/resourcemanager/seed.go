package resourcemanager

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// SeedObjects builds the resource manager of a seed whose API server cannot call the process of the gardenlet. In other
// seeds the resource manager runs in that process. The Deployment is the last object. It applies any object of a
// ManagedResource, so it needs all permissions.
func SeedObjects(image string) []client.Object {
	deployment := pod.Deployment(pod.Spec{
		Name: Name, Namespace: constants.GardenNamespace, Image: image, Labels: labels(), Component: "resource-manager",
		Args: []string{
			"--resource-class=seed",
			fmt.Sprintf("--bind-address=$(POD_IP):%d", port),
			"--garbage-collector-sync-period=1h",
			"--webhook-configuration-name=" + Name,
			fmt.Sprintf("--webhook-bind-address=$(POD_IP):%d", webhookPort),
			"--webhook-service=" + constants.GardenNamespace + "/" + Name,
			"--webhook-projected-token-mount=true",
			"--webhook-pod-topology-spread-constraints=true",
			"--webhook-pod-zone-affinity=true",
			"--webhook-high-availability-config=true",
			"--webhook-extension-validation=true",
			"--webhook-endpoint-slice-hints=true",
		},
		Replicas: 1, Port: webhookPort, Ready: pod.Plain(pod.Ready("/readyz", port)), Live: pod.Plain(pod.Live("/healthz", port)),
		ServiceAccount: Name, PriorityClass: constants.PriorityClassNameSeedSystemCritical,
		Reaches: pod.ReachesOfSeed(),
	})
	deployment.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType} // one writer at a time
	pod.OfSeed(deployment)
	all := []string{"*"}
	access := pod.Access(Name, rbacv1.PolicyRule{APIGroups: all, Resources: all, Verbs: all}, rbacv1.PolicyRule{NonResourceURLs: all, Verbs: all})
	return append(access, pod.WebhookService(Name, labels()), deployment)
}
