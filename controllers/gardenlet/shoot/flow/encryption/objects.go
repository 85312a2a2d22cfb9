package encryption

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Objects are the objects of a shoot that are stored encrypted.
type Objects struct {
	Shoot     *gardencorev1beta1.Shoot
	Space     seed.Space
	Connector connection.Connector
}

// Rewrite writes every object that is not stored as it should be. All API servers must encrypt with the current key by now.
// The label on objects says which ones are done, so that an interrupted run goes on where it was.
func (o Objects) Rewrite(ctx context.Context, made credentials.Made, shoot connection.Connection) error {
	current := made.Current(constants.SecretNameETCDEncryptionKey)
	rewriter := Rewriter{Client: shoot.Client}
	if made.Old(constants.SecretNameETCDEncryptionKey) != nil && !credentials.ObjectsRewritten(current) {
		if err := rewriter.Label(ctx, concerned(o.Shoot), current.Name); err != nil {
			return err
		}
		if err := o.mark(ctx, current); err != nil {
			return err
		}
	}
	changed := Changed(o.Shoot)
	if err := rewriter.Label(ctx, changed, current.Name); err != nil {
		return err
	}
	return rewriter.Unlabel(ctx, changed)
}

// Release removes the labels before the old key of a rotation is dropped. That writes the objects once more, also those to
// which a user gave the label to keep them from being rewritten.
func (o Objects) Release(ctx context.Context, made credentials.Made) error {
	if !credentials.ObjectsRewritten(made.Current(constants.SecretNameETCDEncryptionKey)) {
		return nil // the old key is kept in this run, in which Rewrite has its turn first
	}
	shoot, err := o.Connector.Connect(ctx)
	if err != nil {
		return err
	}
	return Rewriter{Client: shoot.Client}.Unlabel(ctx, concerned(o.Shoot))
}

// mark records that no object needs another key.
func (o Objects) mark(ctx context.Context, key *corev1.Secret) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, constants.AnnotationObjectsRewritten)
	if err := o.Space.Client.Patch(ctx, key, client.RawPatch("application/merge-patch+json", patch), seed.Owner); err != nil {
		return fmt.Errorf("mark encryption key %q as the only one in use: %w", key.Name, err)
	}
	return nil
}
