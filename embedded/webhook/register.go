package webhook

import (
	"context"
	"errors"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Register makes the target call exactly these hooks. It deletes configurations without hooks. reach says how the target
// reaches the path of a hook.
func Register(ctx context.Context, target client.Client, name string, hooks []Hook, reach func(path string) admissionregistrationv1.WebhookClientConfig) error {
	mutating, validating := Configurations(name, hooks, reach)
	var errs []error
	for object, used := range map[client.Object]bool{mutating: len(mutating.Webhooks) > 0, validating: len(validating.Webhooks) > 0} {
		var err error
		if used {
			err = apply(ctx, target, client.FieldOwner(name), object)
		} else {
			err = client.IgnoreNotFound(target.Delete(ctx, object))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("register webhooks %q: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// Reserve registers validating hooks at a Service before a server answers there, unless hooks of that name exist
// already. From then on the guarded requests are refused. The server completes the registration.
func Reserve(ctx context.Context, target client.Client, name string, hooks []Hook, service admissionregistrationv1.ServiceReference) error {
	registered := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	err := target.Get(ctx, client.ObjectKey{Name: name}, registered)
	if !apierrors.IsNotFound(err) {
		return err
	}
	_, validating := Configurations(name, hooks, func(path string) admissionregistrationv1.WebhookClientConfig { return atService(service, path) })
	// uses the server's field manager, so that the server takes over all of it
	if err := apply(ctx, target, client.FieldOwner(name), validating); err != nil {
		return fmt.Errorf("reserve webhooks %q: %w", name, err)
	}
	return nil
}

// apply makes the configuration have exactly the webhooks that it is given.
func apply(ctx context.Context, target client.Client, owner client.FieldOwner, object client.Object) error {
	gvk, err := apiutil.GVKForObject(object, target.Scheme())
	if err != nil {
		return fmt.Errorf("find kind of %T: %w", object, err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return fmt.Errorf("convert %T: %w", object, err)
	}
	desired := &unstructured.Unstructured{Object: content}
	desired.SetGroupVersionKind(gvk)
	unstructured.RemoveNestedField(desired.Object, "metadata", "creationTimestamp") // a null
	return target.Apply(ctx, client.ApplyConfigurationFromUnstructured(desired), owner, client.ForceOwnership)
}

func atService(service admissionregistrationv1.ServiceReference, path string) admissionregistrationv1.WebhookClientConfig {
	service.Path = &path
	return admissionregistrationv1.WebhookClientConfig{Service: &service}
}

// Configurations builds the webhook configurations for the hooks; either may have no webhooks.
func Configurations(name string, hooks []Hook, reach func(path string) admissionregistrationv1.WebhookClientConfig) (*admissionregistrationv1.MutatingWebhookConfiguration, *admissionregistrationv1.ValidatingWebhookConfiguration) {
	meta := metav1.ObjectMeta{Name: name, Labels: map[string]string{
		"app": name, "remediation.webhook.shoot.gardener.cloud/exclude": "true",
	}}
	mutating := &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: meta}
	validating := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: meta}
	for _, h := range hooks {
		if h.Validating {
			validating.Webhooks = append(validating.Webhooks, admissionregistrationv1.ValidatingWebhook{
				Name: h.Name, ClientConfig: reach(h.Path), Rules: h.Rules,
				FailurePolicy: h.failurePolicy(), MatchPolicy: ptr.To(admissionregistrationv1.Equivalent),
				NamespaceSelector: selector(h.NamespaceSelector), ObjectSelector: selector(h.ObjectSelector),
				SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone), TimeoutSeconds: h.timeout(), AdmissionReviewVersions: []string{"v1"},
				MatchConditions: h.Conditions,
			})
			continue
		}
		reinvocation := admissionregistrationv1.NeverReinvocationPolicy
		if h.Reinvoke {
			reinvocation = admissionregistrationv1.IfNeededReinvocationPolicy
		}
		mutating.Webhooks = append(mutating.Webhooks, admissionregistrationv1.MutatingWebhook{
			Name: h.Name, ClientConfig: reach(h.Path), Rules: h.Rules,
			FailurePolicy: h.failurePolicy(), MatchPolicy: ptr.To(admissionregistrationv1.Equivalent),
			NamespaceSelector: selector(h.NamespaceSelector), ObjectSelector: selector(h.ObjectSelector),
			SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone), TimeoutSeconds: h.timeout(), AdmissionReviewVersions: []string{"v1"},
			ReinvocationPolicy: &reinvocation, MatchConditions: h.Conditions,
		})
	}
	return mutating, validating
}
