package seed

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/podschedulername"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// SchedulerName is the name of the scheduler for shoot control planes.
const SchedulerName = "gardener-kube-scheduler"

// ControlPlaneScheduler is the webhook that assigns pods in the namespaces of shoots to the scheduler. It must be
// registered only where that scheduler runs.
func ControlPlaneScheduler() webhook.Hook {
	return webhook.Hook{
		Name: "kube-scheduler.scheduling.gardener.cloud", Path: "/webhooks/default-pod-scheduler-name/" + SchedulerName,
		Handler:           webhook.Mutate(podschedulername.Mutator{SchedulerName: SchedulerName}.Mutate),
		Rules:             webhook.CreatedPods(),
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{constants.GardenRole: constants.GardenRoleShoot}},
		MayFail:           true, // the default scheduler does as well
		TimeoutSeconds:    2,
	}
}
