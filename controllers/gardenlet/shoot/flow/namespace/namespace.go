// Package namespace creates and deletes the namespace of a shoot in the seed. It also copies the objects in the garden
// that the Shoot refers to into it.
package namespace

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/status"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Namespace is the namespace of a shoot in the seed with the objects that exist before any component.
type Namespace struct {
	Shoot *gardencorev1beta1.Shoot
	Seed  *gardencorev1beta1.Seed
	// Credentials of the infrastructure, nil if the shoot has none.
	Credentials *corev1.Secret
	// KeepCredentials leaves the credentials that extensions have.
	KeepCredentials bool
	Extensions      []operation.Extension
	ClusterIdentity string
	Space           seed.Space
	Status          *status.Writer
	// GardenReader reads the objects that the Shoot refers to, without a cache.
	GardenReader client.Reader
}

// Deploy writes the namespace of the control plane, with the labels by which webhooks of extensions select it.
func (n Namespace) Deploy(ctx context.Context) error {
	if err := n.own(ctx); err != nil {
		return err
	}
	labels := map[string]string{
		constants.GardenRole:         constants.GardenRoleShoot,
		constants.LabelSeedProvider:  n.Seed.Spec.Provider.Type,
		constants.LabelShootProvider: n.Shoot.Spec.Provider.Type,
	}
	if network := operation.NetworkType(n.Shoot); network != "" {
		labels[constants.LabelNetworkingProvider] = network
	}
	if backup := n.Seed.Spec.Backup; backup != nil {
		labels[constants.LabelBackupProvider] = backup.Provider
	}
	for _, e := range n.Extensions {
		labels[constants.LabelExtensionExtensionTypePrefix+e.Type] = "true"
	}
	_, err := n.Space.Apply(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: n.Space.Name, Labels: labels, Annotations: map[string]string{constants.ShootUID: operation.UID(n.Shoot)},
	}})
	return err
}

// own refuses a namespace of another shoot of the same name: one that another seed had taken from this one, and that was deleted there before
// this seed could remove what it still had.
func (n Namespace) own(ctx context.Context) error {
	namespace := &corev1.Namespace{}
	if err := n.Space.Client.Get(ctx, client.ObjectKey{Name: n.Space.Name}, namespace); err != nil {
		return client.IgnoreNotFound(err)
	}
	if uid := namespace.Annotations[constants.ShootUID]; uid != "" && uid != operation.UID(n.Shoot) {
		return fmt.Errorf("namespace %q of the seed belongs to a former shoot of this name (UID %s): delete what is in it, then the namespace", n.Space.Name, uid)
	}
	return nil
}

// EnsureIdentity records the identity of the cluster, unless one is recorded. It never changes.
func (n Namespace) EnsureIdentity(ctx context.Context) error {
	return n.Status.Update(ctx, func(s *gardencorev1beta1.ShootStatus) {
		if s.ClusterIdentity == nil {
			s.ClusterIdentity = ptr.To(n.ClusterIdentity)
		}
	})
}

// DeployCloudProvider copies the current credentials of the infrastructure; extensions watch the copy.
func (n Namespace) DeployCloudProvider(ctx context.Context) error {
	if n.KeepCredentials {
		return nil
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: constants.SecretNameCloudProvider, Namespace: n.Space.Name,
			Labels: map[string]string{constants.GardenerPurpose: constants.SecretPurposeCloudProvider},
		},
		Type: corev1.SecretTypeOpaque,
	}
	if n.Credentials != nil {
		secret.Data = n.Credentials.Data
	}
	_, err := n.Space.Apply(ctx, secret)
	return err
}

// Delete deletes the namespace, and at once the pods in it, which nobody can replace then. The controller of namespaces begins seconds
// later. It deletes nothing else while there are pods, and looks again after more seconds.
func (n Namespace) Delete(ctx context.Context) error {
	if err := n.Space.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Space.Name}}); err != nil {
		return err
	}
	if err := n.Space.Client.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(n.Space.Name)); err != nil {
		return fmt.Errorf("delete pods in namespace %q: %w", n.Space.Name, err)
	}
	return nil
}

// AwaitGone waits until the namespace is gone.
func (n Namespace) AwaitGone(ctx context.Context) error {
	return await.Gone(ctx, n.Space.Client, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Space.Name}}, nil)
}
