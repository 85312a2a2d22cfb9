package flow

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
)

func newDeployment(name, namespace string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
}

// awaitDeployment waits until all pods are of the newest template and ready, and no other is left.
func (p *Plan) awaitDeployment(ctx context.Context, name string) error {
	deployment := newDeployment(name, p.namespace)
	err := await.Until(ctx, p.SeedClient, deployment, func() error { return health.RolledOut(deployment) })
	if err != nil {
		return fmt.Errorf("wait for deployment %q: %w", name, err)
	}
	return nil
}

// scale sets the number of pods of a Deployment that exists.
func (p *Plan) scale(ctx context.Context, name string, replicas int32) error {
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	err := p.SeedClient.Patch(ctx, newDeployment(name, p.namespace), client.RawPatch("application/merge-patch+json", patch), Owner)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("scale deployment %q to %d: %w", name, replicas, err)
	}
	return nil
}

func (p *Plan) deleteDeployment(ctx context.Context, name string) error {
	err := p.SeedClient.Delete(ctx, newDeployment(name, p.namespace), client.PropagationPolicy(metav1.DeletePropagationForeground))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete deployment %q: %w", name, err)
	}
	return nil
}

// awaitDeploymentGone waits until neither the Deployment nor one of its pods is left.
func (p *Plan) awaitDeploymentGone(ctx context.Context, name string) error {
	deployment := newDeployment(name, p.namespace)
	if err := await.Gone(ctx, p.SeedClient, deployment, nil); err != nil {
		return fmt.Errorf("wait for the end of deployment %q: %w", name, err)
	}
	return nil
}
