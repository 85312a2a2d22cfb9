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

// Rewrite writes every object that is not stored with the wanted encryption. All API servers must already encrypt with the current
// key. A label marks the objects that are done, so an interrupted run continues where it stopped.
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

// Release removes the labels before the old key of a rotation is dropped. Removing a label writes the object once more. So an object
// is rewritten even if a user set its label to prevent that.
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
