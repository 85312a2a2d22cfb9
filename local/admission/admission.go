// Package admission checks in the garden what users write for the provider local and its extensions into Shoots. Otherwise they would learn of a
// mistake only from the operation of the Shoot.
//
// The webhooks select Shoots by the labels that the garden's admission plugin ExtensionLabels keeps, so each sees only those that use its type.
package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/registrycache"
)

// ConfigurationName is the name of the ValidatingWebhookConfiguration in the garden.
const ConfigurationName = "gardener-extension-admission-local"

// Hooks are the webhooks of the provider for Shoots in the garden.
func Hooks() []webhook.Hook {
	return []webhook.Hook{
		hook("provider-local", constants.LabelExtensionProviderTypePrefix+api.Type, infrastructure),
		hook("registry-cache", constants.LabelExtensionExtensionTypePrefix+registrycache.Type, registrycache.ValidateShoot),
	}
}

// check returns an error about a Shoot. The former one is nil when the Shoot is created.
type check func(shoot, former *gardencorev1beta1.Shoot) error

func hook(name, label string, check check) webhook.Hook {
	return webhook.Hook{
		Name: "shoots." + name + ".extensions.gardener.cloud", Path: "/webhooks/extensions/" + name, Validating: true, Handler: check,
		Rules: []admissionregistrationv1.RuleWithOperations{webhook.Rule(
			gardencorev1beta1.GroupName, []string{gardencorev1beta1.SchemeGroupVersion.Version}, []string{"shoots"}, admissionregistrationv1.Create, admissionregistrationv1.Update,
		)},
		ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{label: "true"}},
		Conditions: []admissionregistrationv1.MatchCondition{
			{Name: "spec", Expression: "oldObject == null || object.spec != oldObject.spec"},
			{Name: "stays", Expression: "!has(object.metadata.deletionTimestamp)"},
		},
	}
}

// Handle implements admission.Handler.
func (c check) Handle(_ context.Context, request admission.Request) admission.Response {
	shoot := &gardencorev1beta1.Shoot{}
	if err := json.Unmarshal(request.Object.Raw, shoot); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode shoot: %w", err))
	}
	var former *gardencorev1beta1.Shoot
	if len(request.OldObject.Raw) > 0 {
		former = &gardencorev1beta1.Shoot{}
		if err := json.Unmarshal(request.OldObject.Raw, former); err != nil {
			return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode former shoot: %w", err))
		}
	}
	if err := c(shoot, former); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}
