// Package shootwebhook is what the provider adds to objects in its shoots, and the component that serves it. The component is a pod of the seed, since API
// servers of shoots call no process outside of the seed.
package shootwebhook

import (
	"cmp"
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/shootwebhook"
)

const (
	// Namespace of the component in each seed.
	Namespace = "extension-provider-local"
	// provider and name of the component's objects.
	provider, name = "provider-local", "gardener-extension-provider-local-webhook"
	// port of the pods and of the Service. In clusters whose Services are not implemented in the kernel, a port above 1023 needs no rights.
	port = 10250
	// MachinesAnnotation is on the system components of a shoot. It says what the machines are that they run on: pod or container.
	MachinesAnnotation = "local.provider.extensions.gardener.cloud/machines"
)

// Webhooks are the provider's webhooks in shoots with machines of the given kind; pods if it is empty.
func Webhooks(machines api.MachineRuntime) shootwebhook.Webhooks {
	return shootwebhook.Webhooks{
		Provider: provider, Hooks: []webhook.Hook{hook(cmp.Or(machines, api.Pods))},
		Service: types.NamespacedName{Namespace: Namespace, Name: name}, Port: port,
	}
}

// hook is called for the system components that Gardener brings to a shoot.
func hook(machines api.MachineRuntime) webhook.Hook {
	return webhook.Hook{
		Name: "systemcomponents." + api.Type + ".extensions.gardener.cloud", Path: "/webhooks/systemcomponents",
		Handler: webhook.Mutate(func(_ context.Context, object *metav1.PartialObjectMetadata) error {
			metav1.SetMetaDataAnnotation(&object.ObjectMeta, MachinesAnnotation, string(machines))
			return nil
		}),
		Rules: []admissionregistrationv1.RuleWithOperations{webhook.Rule(
			appsv1.GroupName, []string{"v1"}, []string{"deployments", "daemonsets"}, admissionregistrationv1.Create, admissionregistrationv1.Update,
		)},
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: metav1.NamespaceSystem}},
		ObjectSelector:    &metav1.LabelSelector{MatchLabels: map[string]string{resourcesv1alpha1.ManagedBy: "gardener"}},
		MayFail:           true, TimeoutSeconds: 5,
	}
}
