// Package seed admits requests to the API of a seed. It refuses unconfirmed deletions of objects that a shoot depends
// on. It also assigns pods of shoot control planes to their own scheduler.
package seed

import (
	"context"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// protectedExtensions are all kinds of extensions.gardener.cloud except Cluster, which only mirrors other objects.
var protectedExtensions = []string{
	"backupbuckets", "backupentries", "bastions", "containerruntimes", "controlplanes", "dnsrecords", "extensions",
	"infrastructures", "networks", "operatingsystemconfigs", "workers",
}

// DeletionConfirmation returns the webhooks that refuse unconfirmed deletions. API servers call them for every single
// object of a collection.
func DeletionConfirmation() []webhook.Hook {
	const path = "/webhooks/validate-extension-crd-deletion"
	handler := admission.HandlerFunc(confirmed)
	return []webhook.Hook{
		{
			Name: "crd-deletion-protection.resources.gardener.cloud", Path: path + "/definitions", Handler: handler, Validating: true,
			Rules: []admissionregistrationv1.RuleWithOperations{
				webhook.Rule("apiextensions.k8s.io", []string{"v1"}, []string{"customresourcedefinitions"}, admissionregistrationv1.Delete),
			},
			ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{constants.DeletionProtected: "true"}},
		},
		{
			Name: "cr-deletion-protection.resources.gardener.cloud", Path: path, Handler: handler, Validating: true,
			Rules: []admissionregistrationv1.RuleWithOperations{
				webhook.Rule("extensions.gardener.cloud", []string{"v1alpha1"}, protectedExtensions, admissionregistrationv1.Delete),
				webhook.Rule("druid.gardener.cloud", []string{"v1alpha1"}, []string{"etcds"}, admissionregistrationv1.Delete),
			},
		},
	}
}

// confirmed checks the object that is about to be deleted.
func confirmed(ctx context.Context, request admission.Request) admission.Response {
	if request.Operation != admissionv1.Delete {
		return admission.Allowed("")
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(request.OldObject.Raw); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode object: %w", err))
	}
	if object.GetAnnotations()[constants.ConfirmationDeletion] == "true" {
		return admission.Allowed("")
	}
	log.FromContext(ctx).Info("Deletion is refused, since it is not confirmed", "kind", request.Kind.Kind, "namespace", request.Namespace, "name", object.GetName(), "user", request.UserInfo.Username)
	return admission.Denied(fmt.Sprintf("deletion of %s %q is not confirmed: it needs the annotation %s=true",
		request.Kind.Kind, object.GetName(), constants.ConfirmationDeletion))
}
