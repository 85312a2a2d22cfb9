package webhook

import (
	"context"
	"fmt"
	"net/http"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// Mutator changes an object in place before it is stored. An error refuses the object.
type Mutator[T any] func(ctx context.Context, object *T) error

// Mutators are what a provider changes. The webhook is not called for kinds whose Mutators are nil.
type Mutators struct {
	KubeAPIServer         Mutator[appsv1.Deployment]
	KubeControllerManager Mutator[appsv1.Deployment]
	KubeScheduler         Mutator[appsv1.Deployment]
	// KubeAPIServerService is the Service in front of the API server.
	KubeAPIServerService  Mutator[corev1.Service]
	Etcd                  Mutator[druidv1alpha1.Etcd]
	OperatingSystemConfig Mutator[extensionsv1alpha1.OperatingSystemConfig]
	// Network is the network plugin of the shoot.
	Network Mutator[extensionsv1alpha1.Network]
}

// kind is a resource whose objects a provider changes.
type kind struct {
	group, version, resource string
	handler                  admission.Handler
}

func (m Mutators) kinds() []kind {
	var out []kind
	add := func(group, version, resource string, handler admission.Handler) {
		out = append(out, kind{group, version, resource, handler})
	}
	if m.KubeAPIServer != nil || m.KubeControllerManager != nil || m.KubeScheduler != nil {
		add(appsv1.GroupName, "v1", "deployments", webhook.Mutate(m.deployment))
	}
	if m.KubeAPIServerService != nil {
		add(corev1.GroupName, "v1", "services", webhook.Mutate(m.service))
	}
	if m.Etcd != nil {
		add(druidv1alpha1.SchemeGroupVersion.Group, druidv1alpha1.SchemeGroupVersion.Version, "etcds", webhook.Mutate(m.Etcd))
	}
	extensions := extensionsv1alpha1.SchemeGroupVersion
	if m.OperatingSystemConfig != nil {
		add(extensions.Group, extensions.Version, "operatingsystemconfigs", webhook.Mutate(m.OperatingSystemConfig))
	}
	if m.Network != nil {
		add(extensions.Group, extensions.Version, "networks", webhook.Mutate(m.Network))
	}
	return out
}

// deployment finds the component by its labels.
func (m Mutators) deployment(ctx context.Context, d *appsv1.Deployment) error {
	mutate := map[string]Mutator[appsv1.Deployment]{
		constants.LabelAPIServer: m.KubeAPIServer, constants.LabelControllerManager: m.KubeControllerManager, constants.LabelScheduler: m.KubeScheduler,
	}[d.Labels[constants.LabelRole]]
	if mutate == nil || d.Labels[constants.LabelApp] != constants.LabelKubernetes {
		return nil
	}
	return mutate(ctx, d)
}

func (m Mutators) service(ctx context.Context, s *corev1.Service) error {
	if s.Labels[constants.LabelApp] != constants.LabelKubernetes || s.Labels[constants.LabelRole] != constants.LabelAPIServer {
		return nil
	}
	return m.KubeAPIServerService(ctx, s)
}

// rules say which requests call the webhook.
func (m Mutators) rules() []admissionregistrationv1.RuleWithOperations {
	var out []admissionregistrationv1.RuleWithOperations
	for _, k := range m.kinds() {
		out = append(out, webhook.Rule(k.group, []string{k.version}, []string{k.resource}, admissionregistrationv1.Create, admissionregistrationv1.Update))
	}
	return out
}

// handler answers the requests for all kinds.
func (m Mutators) handler() admission.Handler {
	kinds := m.kinds()
	return admission.HandlerFunc(func(ctx context.Context, request admission.Request) admission.Response {
		for _, k := range kinds {
			if request.Resource.Group == k.group && request.Resource.Resource == k.resource {
				return k.handler.Handle(ctx, request)
			}
		}
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("no mutator is for %s", request.Resource.Resource))
	})
}
