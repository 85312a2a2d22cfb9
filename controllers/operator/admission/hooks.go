// Package admission holds the webhooks for Gardens: one fills in defaults, one refuses mistakes. API servers that cannot call this
// process have the rules of the definition and the policies only; the controller of Gardens then reports the other mistakes.
package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	operatorvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/operator"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// Name of the webhook configurations.
const Name = "gardener-operator"

// Config of the webhooks.
type Config struct {
	// Host says what a Garden may be.
	Host operatorvalidation.Host
	// HeldUp says why a Garden cannot be deleted yet, or nothing. An error means that nobody can tell.
	HeldUp func(context.Context, *operatorv1alpha1.Garden) (reason string, err error)
	// Way is how API servers call the webhooks.
	Way webhook.Way
	// Certificates are those of the server.
	Certificates webhook.Certificates
}

// AddToManager serves and registers the webhooks, and adds a readiness check.
func AddToManager(mgr manager.Manager, cfg Config) error {
	server := &webhook.Server{
		Name: Name, Hooks: Hooks(cfg.Host, cfg.HeldUp), Clock: clock.RealClock{},
		Source: mgr.GetClient(), Reader: mgr.GetAPIReader(), Target: mgr.GetClient(),
		Secret:      types.NamespacedName{Namespace: constants.GardenNamespace, Name: Name + "-webhooks"},
		BindAddress: "127.0.0.1:0", Service: cfg.Way.Service, Listen: cfg.Way.Listen, Certificates: cfg.Certificates,
	}
	if err := errors.Join(mgr.Add(server), mgr.AddReadyzCheck("garden webhooks", server.Ready)); err != nil {
		return fmt.Errorf("add webhooks for Gardens: %w", err)
	}
	return nil
}

// validationSeconds is more than it takes to find out that a virtual garden does not answer.
const validationSeconds = 15

// Hooks returns the webhooks. The host says what a Garden may be, and heldUp why it cannot be deleted.
func Hooks(host operatorvalidation.Host, heldUp func(context.Context, *operatorv1alpha1.Garden) (string, error)) []webhook.Hook {
	rules := func(operations ...admissionregistrationv1.OperationType) []admissionregistrationv1.RuleWithOperations {
		return []admissionregistrationv1.RuleWithOperations{webhook.Rule(operatorv1alpha1.GroupName, []string{"v1alpha1"}, []string{"gardens"}, operations...)}
	}
	return []webhook.Hook{
		{
			Name: "defaulting.operator.gardener.cloud", Path: "/webhooks/default-gardens", Handler: webhook.Mutate(setDefaults),
			Rules: rules(admissionregistrationv1.Create, admissionregistrationv1.Update),
		},
		{
			Name: "validation.operator.gardener.cloud", Path: "/webhooks/validate-gardens", Handler: validator{host, heldUp}, Validating: true,
			TimeoutSeconds: validationSeconds,
			Rules:          rules(admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete),
		},
	}
}

func setDefaults(_ context.Context, garden *operatorv1alpha1.Garden) error {
	if garden.DeletionTimestamp == nil {
		operatorv1alpha1.SetDefaultsGarden(garden)
	}
	return nil
}

type validator struct {
	host   operatorvalidation.Host
	heldUp func(context.Context, *operatorv1alpha1.Garden) (string, error)
}

// Handle implements admission.Handler. The answer names all mistakes.
func (v validator) Handle(ctx context.Context, request admission.Request) admission.Response {
	mistakes, err := v.mistakes(ctx, request)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode Garden: %w", err))
	}
	if len(mistakes) > 0 {
		return admission.Denied(mistakes.ToAggregate().Error())
	}
	return admission.Allowed("")
}

func (v validator) mistakes(ctx context.Context, request admission.Request) (field.ErrorList, error) {
	garden, old := &operatorv1alpha1.Garden{}, &operatorv1alpha1.Garden{}
	for object, raw := range map[*operatorv1alpha1.Garden][]byte{garden: request.Object.Raw, old: request.OldObject.Raw} {
		if len(raw) == 0 {
			continue
		}
		if err := json.Unmarshal(raw, object); err != nil {
			return nil, err
		}
	}
	switch request.Operation {
	case admissionv1.Create:
		return operatorvalidation.ValidateGarden(garden, v.host), nil
	case admissionv1.Update:
		const operation = constants.GardenerOperation
		if asked := garden.Annotations[operation]; asked != "" && asked != old.Annotations[operation] {
			if mistakes := operatorvalidation.ValidateGardenOperation(garden, v.host); len(mistakes) > 0 {
				return mistakes, nil
			}
		}
		if equality.Semantic.DeepEqual(garden.Spec, old.Spec) {
			return nil, nil // metadata of a Garden that has become invalid can change
		}
		return operatorvalidation.ValidateGardenUpdate(garden, old, v.host), nil
	case admissionv1.Delete:
		return v.deletion(ctx, old), nil
	}
	return nil, nil
}

// deletion refuses what could not be carried out: a mark for deletion cannot be taken away, and a marked Garden is not looked after any more.
func (v validator) deletion(ctx context.Context, garden *operatorv1alpha1.Garden) field.ErrorList {
	mistakes := operatorvalidation.ValidateGardenDeletion(garden)
	if len(mistakes) > 0 || garden.DeletionTimestamp != nil {
		return mistakes
	}
	reason, err := v.heldUp(ctx, garden)
	if err != nil {
		reason = err.Error()
	}
	if reason == "" {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("metadata", "deletionTimestamp"), reason)}
}
