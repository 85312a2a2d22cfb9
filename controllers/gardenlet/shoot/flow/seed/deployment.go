package seed

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
)

// AwaitDeployment waits until all pods have the newest template and are ready, and no other pod exists.
func (s Space) AwaitDeployment(ctx context.Context, name string) error {
	deployment := newDeployment(name, s.Name)
	err := await.Until(ctx, s.Client, deployment, func() error { return health.RolledOut(deployment) })
	if err != nil {
		return fmt.Errorf("wait for deployment %q: %w", name, err)
	}
	return nil
}

// Scale sets the number of replicas of an existing Deployment.
func (s Space) Scale(ctx context.Context, name string, replicas int32) error {
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	err := s.Client.Patch(ctx, newDeployment(name, s.Name), client.RawPatch("application/merge-patch+json", patch), Owner)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("scale deployment %q to %d: %w", name, replicas, err)
	}
	return nil
}

// DeleteDeployment deletes the Deployment, which keeps its name until its pods are gone.
func (s Space) DeleteDeployment(ctx context.Context, name string) error {
	err := s.Client.Delete(ctx, newDeployment(name, s.Name), client.PropagationPolicy(metav1.DeletePropagationForeground))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete deployment %q: %w", name, err)
	}
	return nil
}

// AwaitDeploymentGone waits until the Deployment and all its pods are gone.
func (s Space) AwaitDeploymentGone(ctx context.Context, name string) error {
	deployment := newDeployment(name, s.Name)
	if err := await.Gone(ctx, s.Client, deployment, nil); err != nil {
		return fmt.Errorf("wait for the end of deployment %q: %w", name, err)
	}
	return nil
}

// DeleteServiceAccount deletes the account and its permissions in the namespace.
func (s Space) DeleteServiceAccount(ctx context.Context, name string) error {
	meta := metav1.ObjectMeta{Name: name, Namespace: s.Name}
	return s.Delete(ctx, &rbacv1.RoleBinding{ObjectMeta: meta}, &rbacv1.Role{ObjectMeta: meta}, &corev1.ServiceAccount{ObjectMeta: meta})
}

func newDeployment(name, namespace string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
}
