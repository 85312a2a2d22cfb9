package pod

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// WebhookPort is the port of webhook servers in their pods.
const WebhookPort = 10250

// OfSeed marks a Deployment as a component of the seed rather than of a control plane.
func OfSeed(deployment *appsv1.Deployment) {
	for _, labels := range []map[string]string{deployment.Labels, deployment.Spec.Template.Labels} {
		delete(labels, constants.GardenRole)
	}
	deployment.Labels[constants.GardenRole] = constants.GardenRoleSeedSystemComponent
}

// ReachesOfSeed allow connections to the API server of the seed.
func ReachesOfSeed() []string {
	return []string{constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToRuntimeAPIServer}
}

// Access builds the service account of a component in the garden namespace and its permissions in the whole cluster.
func Access(name string, rules ...rbacv1.PolicyRule) []client.Object {
	return []client.Object{
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: constants.GardenNamespace}},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: constants.GardenNamespace}},
		},
	}
}

// WebhookService builds the Service through which API servers, in the network of their nodes, call the webhooks of pods
// in the garden namespace. Ordinary users can serve its second port, too, in clusters whose Services are not
// implemented in the kernel.
func WebhookService(name string, selector map[string]string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: constants.GardenNamespace, Labels: selector, Annotations: names.FromWorld(WebhookPort)},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, Selector: selector,
			Ports: []corev1.ServicePort{
				{Name: "webhooks", Port: 443, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(WebhookPort)},
				{Name: "webhooks-high", Port: WebhookPort, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(WebhookPort)},
			},
		},
	}
}

// WebhookLeftovers are the objects that pods with webhooks create themselves.
func WebhookLeftovers(name string) []client.Object {
	return []client.Object{
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}},
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name + "-server", Namespace: constants.GardenNamespace}},
	}
}
