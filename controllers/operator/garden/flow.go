package garden

import (
	"cmp"
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/policy"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/rotation"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Steps beside those for components.
const (
	stepPolicies    = "admission policies"
	stepAuthority   = "authority of the runtime cluster"
	stepDomains     = "further domains of the virtual garden"
	stepAccess      = "access to the virtual garden"
	stepAccessReady = "access to the virtual garden serves"
	stepPassword    = "password of observability"
)

// Steps of rotations.
const (
	stepTokenKey        = "new key of service accounts"
	stepTokens          = "new tokens for the virtual garden"
	stepAuthorities     = "new certificate authorities"
	stepTrusted         = "access to the virtual garden trusts its authorities"
	stepSeedTokens      = "new tokens for the garden in all seeds"
	stepSeedKubeconfigs = "new kubeconfigs for the garden in all seeds"
	stepEncryptionKey   = "new encryption key"
	stepRewrite         = "objects are encrypted with the new key"
	stepBackup          = "backup of objects with the new key"
	stepDropAuthorities = "former certificate authorities dropped"
	stepDropTokens      = "former keys of service accounts dropped"
	stepDropKeys        = "former encryption keys dropped"
)

const fieldOwner = client.FieldOwner("gardener-operator")

// graph is the order of a reconciliation: each stage of components after the one before, and the access once the virtual garden
// serves. A component that the host does not run is skipped.
func (r *Reconciler) graph(garden *operatorv1alpha1.Garden) (*flow.Graph, error) {
	steps := []flow.Step{{Name: stepPolicies, Do: r.guard}}
	before := []string{stepPolicies}
	steps = append(steps, flow.Step{Name: stepAuthority, After: before, Do: r.Authority.Deploy})
	plan := rotation.PlanOf(&garden.Status, r.Host.Credentials)
	steps = append(steps, flow.Step{Name: stepPassword, After: before, Skip: !r.Host.Credentials.Observability, Do: func(ctx context.Context) error {
		return r.Password.Deploy(ctx, plan.Password)
	}})
	for _, stage := range host.Stages() {
		if stage == host.Monitoring { // which serves to whoever has the password
			before = append(slices.Clone(before), stepPassword)
		}
		if r.Host.Deploy != nil {
			deploy := r.deploy(garden, stage, before)
			steps, before = append(steps, deploy), []string{deploy.Name}
		}
		var names []string
		for _, component := range r.Host.Components {
			if component.Stage == stage {
				steps = append(steps, r.component(component, before))
				names = append(names, component.Name)
			}
		}
		if len(names) > 0 {
			before = names
		}
		if stage == host.VirtualGarden {
			steps = append(steps,
				flow.Step{Name: stepTokenKey, After: before, Skip: !plan.ServiceAccountKey.Preparing, Do: func(context.Context) error {
					return r.Host.Credentials.ServiceAccountKey.Renew(plan.ServiceAccountKey.Began)
				}},
				flow.Step{Name: stepDomains, After: before, Skip: r.Host.ServeDomains == nil, Do: func(ctx context.Context) error {
					return r.Host.ServeDomains(ctx, furtherDomains(garden))
				}},
				flow.Step{Name: stepAccess, After: []string{stepTokenKey}, Do: func(ctx context.Context) error { return r.deployAccess(ctx, garden) }},
				flow.Step{Name: stepTokens, After: []string{stepAccess}, Skip: !plan.ServiceAccountKey.Preparing, Timeout: r.ComponentTimeout, Do: func(ctx context.Context) error {
					return r.Users.RenewTokens(ctx, plan.ServiceAccountKey.Began)
				}},
				flow.Step{Name: stepAccessReady, After: []string{stepTokens}, Timeout: r.ComponentTimeout, Do: r.accessReady},
			)
		}
		if stage == host.ControlPlane {
			steps = append(steps, r.rotations(garden, plan, append(slices.Clone(before), stepAccessReady))...)
		}
	}
	return flow.New("Garden reconciliation", steps...)
}

// rotations are the steps that need all API servers. Clients connect anew when they get certificates of other authorities, so this comes
// first. A Seed has one operation at a time.
func (r *Reconciler) rotations(garden *operatorv1alpha1.Garden, plan rotation.Plan, after []string) []flow.Step {
	authorities, tokens, keys := plan.Authorities, plan.ServiceAccountKey, plan.EncryptionKey
	can := r.Host.Credentials
	first := []flow.Step{
		{Name: stepAuthorities, After: after, Skip: !authorities.Preparing, Timeout: r.ComponentTimeout, Do: func(ctx context.Context) error {
			return can.Authorities.Renew(ctx, authorities.Began)
		}},
		{Name: stepDropAuthorities, After: []string{stepAuthorities}, Skip: !authorities.Completing, Timeout: r.ComponentTimeout, Do: func(ctx context.Context) error {
			return can.Authorities.DropFormer(ctx, authorities.Began)
		}},
	}
	first = append(first, flow.Step{
		Name: stepTrusted, After: []string{stepDropAuthorities}, Skip: !authorities.Preparing && !authorities.Completing,
		Do: func(ctx context.Context) error { return r.deployAccess(ctx, garden) },
	})
	after = []string{stepTrusted}
	return append(first, []flow.Step{
		{Name: stepSeedTokens, After: after, Skip: !tokens.Preparing, Timeout: r.ComponentTimeout, Do: func(ctx context.Context) error {
			return r.Users.AskSeeds(ctx, constants.SeedOperationRenewGardenAccessSecrets, tokens.Began)
		}},
		{Name: stepSeedKubeconfigs, After: []string{stepSeedTokens}, Skip: !authorities.Preparing, Timeout: r.ComponentTimeout, Do: func(ctx context.Context) error {
			return r.Users.AskSeeds(ctx, constants.GardenerOperationRenewKubeconfig, authorities.Began)
		}},
		{Name: stepEncryptionKey, After: after, Skip: !keys.Preparing, Do: func(context.Context) error { return can.EncryptionKey.Renew(keys.Began) }},
		{Name: stepRewrite, After: []string{stepEncryptionKey}, Skip: !keys.Preparing, Do: func(ctx context.Context) error {
			return r.Users.Rewrite(ctx, can.EncryptionKey)
		}},
		{Name: stepBackup, After: []string{stepRewrite}, Skip: !keys.Preparing, Do: func(ctx context.Context) error { return can.EncryptionKey.Backup(ctx) }},
		{Name: stepDropTokens, After: after, Skip: !tokens.Completing, Do: func(context.Context) error { return can.ServiceAccountKey.DropFormer() }},
		{Name: stepDropKeys, After: after, Skip: !keys.Completing, Do: func(ctx context.Context) error {
			if err := r.Users.Rewrite(ctx, can.EncryptionKey); err != nil { // what a backup has brought back, for example
				return err
			}
			return can.EncryptionKey.DropFormer(ctx)
		}},
	}...)
}

// furtherDomains are the domains of the virtual garden after the first, which the host has anyway.
func furtherDomains(garden *operatorv1alpha1.Garden) (names []string) {
	for i, domain := range garden.Spec.VirtualCluster.DNS.Domains {
		if i > 0 {
			names = append(names, domain.Name)
		}
	}
	return names
}

// deploy writes the components of a stage.
func (r *Reconciler) deploy(garden *operatorv1alpha1.Garden, stage host.Stage, after []string) flow.Step {
	garden = garden.DeepCopy() // the report of the progress uses the other one at the same time
	return flow.Step{Name: "deploy " + string(stage), After: after, Timeout: r.patience(), Do: func(ctx context.Context) error {
		return r.Host.Deploy(ctx, garden, stage)
	}}
}

// patience bounds the wait for one component, or for one stage.
func (r *Reconciler) patience() time.Duration { return cmp.Or(r.Host.Patience, r.ComponentTimeout) }

// component deploys the component, if the host says how, and waits until it serves.
func (r *Reconciler) component(c host.Component, after []string) flow.Step {
	return flow.Step{Name: c.Name, After: after, Skip: c.Serves == nil, Timeout: r.patience(), Do: func(ctx context.Context) error {
		if c.Deploy != nil {
			if err := c.Deploy(ctx); err != nil {
				return err
			}
		}
		return await.Poll(ctx, func() error { return c.Serves(ctx) })
	}}
}

func (r *Reconciler) guard(ctx context.Context) error {
	return patch.Applier{Client: r.Runtime, Owner: fieldOwner}.ApplyAll(ctx, policy.Objects()...)
}

// deployAccess publishes the name of the generic kubeconfig, too.
func (r *Reconciler) deployAccess(ctx context.Context, garden *operatorv1alpha1.Garden) error {
	generic, err := r.Access.To(r.Host.Access(garden)).Deploy(ctx)
	if err != nil || garden.Annotations[constants.AnnotationGenericTokenKubeconfigSecretName] == generic {
		return err
	}
	// Not through garden, which the report of the progress uses at the same time.
	published := &unstructured.Unstructured{}
	published.SetGroupVersionKind(operatorv1alpha1.SchemeGroupVersion.WithKind("Garden"))
	published.SetName(garden.Name)
	before := published.DeepCopy()
	published.SetAnnotations(map[string]string{constants.AnnotationGenericTokenKubeconfigSecretName: generic})
	return client.IgnoreNotFound(r.Runtime.Patch(ctx, published, client.MergeFrom(before)))
}

func (r *Reconciler) accessReady(ctx context.Context) error {
	return await.Poll(ctx, func() error { return r.Access.Check(ctx) })
}
