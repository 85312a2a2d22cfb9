package project

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/extensionstate"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// TypeSecret is the type of Secrets in a ShootState.
const TypeSecret = "secret"

// EnsureShootState saves in the garden what is needed to rebuild a control plane: the marked secrets.
func (p Project) EnsureShootState(ctx context.Context, made *secretsmanager.Manager) error {
	state := &gardencorev1beta1.ShootState{ObjectMeta: p.Artefact("", "")}
	state.Name, state.Labels = p.Shoot.Name, nil
	for _, secret := range made.Persisted() {
		raw, err := json.Marshal(secret.Data)
		if err != nil {
			return fmt.Errorf("encode secret %q: %w", secret.Name, err)
		}
		state.Spec.Gardener = append(state.Spec.Gardener, gardencorev1beta1.GardenerResourceData{
			Name: secret.Name, Type: TypeSecret, Data: runtime.RawExtension{Raw: raw}, Labels: secret.Labels,
		})
	}
	return p.Apply(ctx, state)
}

// SaveExtensions saves states of extensions in the garden, beside those that are saved and whose objects no longer exist.
func (p Project) SaveExtensions(ctx context.Context, reader client.Reader, observed []gardencorev1beta1.ExtensionResourceState) error {
	state := &gardencorev1beta1.ShootState{}
	if err := reader.Get(ctx, client.ObjectKeyFromObject(p.Shoot), state); err != nil {
		return fmt.Errorf("read shoot state: %w", err)
	}
	return extensionstate.Save(ctx, p.Client, state, extensionstate.Add(state.Spec.Extensions, observed))
}

// deleteShootState also sets the confirmation that every client needs, since a lost control plane could be rebuilt only
// from this state.
func (p Project) deleteShootState(ctx context.Context) error {
	state := &gardencorev1beta1.ShootState{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name, Namespace: p.Shoot.Namespace}}
	confirm := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, constants.ConfirmationDeletion)
	if err := p.Client.Patch(ctx, state, client.RawPatch("application/merge-patch+json", confirm)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("confirm deletion of shoot state: %w", err)
	}
	return p.delete(ctx, state)
}
