package care

import (
	"context"
	"errors"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/constraints"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/pages"
)

// constraintFindings are the findings for the constraints of a Shoot.
type constraintFindings map[gardencorev1beta1.ConditionType]conditions.Finding

// transient are the constraints that a Shoot has only while they are not True.
var transient = []gardencorev1beta1.ConditionType{
	gardencorev1beta1.ShootCACertificateValiditiesAcceptable, gardencorev1beta1.ShootCRDsWithProblematicConversionWebhooks,
}

// permanent are those that it always has.
var permanent = []gardencorev1beta1.ConditionType{
	gardencorev1beta1.ShootHibernationPossible, gardencorev1beta1.ShootMaintenancePreconditionsSatisfied,
}

// unchecked are the findings of a cluster that is not asked. What only the cluster knows keeps its last finding.
func unchecked(finding conditions.Finding) constraintFindings {
	out := constraintFindings{}
	for _, kind := range permanent {
		out[kind] = finding
	}
	return out
}

// authorities checks the certificate authorities, which are in the seed.
func (r *Reconciler) authorities(ctx context.Context, namespace string) (conditions.Finding, error) {
	secrets := &corev1.SecretList{}
	if err := r.Seed.List(ctx, secrets, client.InNamespace(namespace), client.MatchingLabels{secretsmanager.LabelManagedBy: secretsmanager.ManagedBy}); err != nil {
		return conditions.Finding{}, fmt.Errorf("list secrets in namespace %q: %w", namespace, err)
	}
	return constraints.Authorities(secrets.Items, r.Clock.Now()), nil
}

// mostConfigurations is how many webhook configurations, and how many definitions, are looked at. Those of a big cluster are some hundreds.
const mostConfigurations = 10_000

// constraints checks the webhooks and definitions of users.
func (c *shootCluster) constraints(ctx context.Context) constraintFindings {
	var webhooks constraints.Webhooks
	var definitions constraints.Definitions
	err := errors.Join(
		each(ctx, c.client, &admissionregistrationv1.ValidatingWebhookConfigurationList{}, func(l *admissionregistrationv1.ValidatingWebhookConfigurationList) {
			webhooks.AddValidating(l.Items)
		}),
		each(ctx, c.client, &admissionregistrationv1.MutatingWebhookConfigurationList{}, func(l *admissionregistrationv1.MutatingWebhookConfigurationList) {
			webhooks.AddMutating(l.Items)
		}),
		each(ctx, c.client, &apiextensionsv1.CustomResourceDefinitionList{}, func(l *apiextensionsv1.CustomResourceDefinitionList) {
			definitions.Add(l.Items)
		}))
	if err != nil {
		return unchecked(conditions.Unknown("ConstraintNotChecked", err.Error()))
	}
	out := unchecked(webhooks.Finding())
	out[gardencorev1beta1.ShootCRDsWithProblematicConversionWebhooks] = definitions.Finding()
	return out
}

func each[L client.ObjectList](ctx context.Context, shoot client.Reader, list L, look func(L)) error {
	for page, err := range pages.Of(ctx, shoot, list, mostConfigurations) {
		if err != nil {
			return fmt.Errorf("could not list %T: %w", list, err)
		}
		look(page)
	}
	return nil
}

// applyConstraints sets the constraints to the findings. Constraints without a finding stay as they are.
func applyConstraints(shoot *gardencorev1beta1.Shoot, findings constraintFindings, now time.Time) {
	for _, kind := range permanent {
		if finding, found := findings[kind]; found {
			shoot.Status.Constraints = conditions.Set(shoot.Status.Constraints, kind, finding, now)
		}
	}
	for _, kind := range transient {
		finding, found := findings[kind]
		switch {
		case !found:
		case finding.Status == gardencorev1beta1.ConditionTrue:
			shoot.Status.Constraints = conditions.Remove(shoot.Status.Constraints, kind)
		default:
			shoot.Status.Constraints = conditions.Set(shoot.Status.Constraints, kind, finding, now)
		}
	}
}
