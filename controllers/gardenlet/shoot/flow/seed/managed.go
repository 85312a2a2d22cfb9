package seed

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/managedresource"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DeployManaged passes objects to the resource manager of the shoot, which applies them.
func (s Space) DeployManaged(ctx context.Context, name string, keep bool, objects ...client.Object) error {
	secret, resource, err := managedresource.Build(name, s.Name, keep, objects...)
	if err != nil {
		return err
	}
	return s.ApplyAll(ctx, secret, resource)
}

// DeleteManaged deletes a ManagedResource; the resource manager then deletes its objects from the shoot.
func (s Space) DeleteManaged(ctx context.Context, name string) error {
	return s.Delete(ctx,
		&resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.Name}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: managedresource.SecretPrefix + name, Namespace: s.Name}},
	)
}
