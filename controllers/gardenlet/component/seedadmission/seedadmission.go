// Package seedadmission builds the gardener-seed-admission-controller of a seed. It writes nothing to a cluster.
package seedadmission

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Name of the Deployment, its related objects and the webhook configurations.
const Name = "gardener-seed-admission-controller"

const healthPort = 8081

// Objects builds the Deployment, last, and the objects that it needs.
func Objects(image string) []client.Object {
	labels := map[string]string{constants.LabelApp: Name}
	deployment := pod.Deployment(pod.Spec{
		Name: Name, Namespace: constants.GardenNamespace, Image: image, Labels: labels, Component: "seed-admission-controller",
		Args: []string{
			fmt.Sprintf("--bind-address=$(POD_IP):%d", pod.WebhookPort),
			fmt.Sprintf("--health-bind-address=$(POD_IP):%d", healthPort),
			fmt.Sprintf("--webhook-service=%s/%s:%d", constants.GardenNamespace, Name, pod.WebhookPort),
			"--namespace=" + constants.GardenNamespace,
		},
		Replicas: 1, Port: pod.WebhookPort, Ready: pod.Plain(pod.Ready("/readyz", healthPort)), Live: pod.Plain(pod.Live("/healthz", healthPort)),
		ServiceAccount: Name, PriorityClass: constants.PriorityClassNameSeedSystem900,
		Reaches: pod.ReachesOfSeed(),
	})
	pod.OfSeed(deployment)
	access := append(pod.Access(Name, registrations()), pod.Rights(metav1.ObjectMeta{Name: Name, Namespace: constants.GardenNamespace}, certificates())...)
	return append(access, pod.WebhookService(Name, labels), deployment)
}

// Service is where API servers call the webhooks.
func Service() admissionregistrationv1.ServiceReference {
	return admissionregistrationv1.ServiceReference{Namespace: constants.GardenNamespace, Name: Name, Port: ptr.To[int32](pod.WebhookPort)}
}

func registrations() rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: []string{"admissionregistration.k8s.io"}, Resources: []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations"},
		Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"},
	}
}

// certificates are for the namespace of the Secret only. Who may create Secrets everywhere can make tokens of all service accounts.
func certificates() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{Name + "-server"}, Verbs: []string{"get", "update"}},
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"create"}},
	}
}
