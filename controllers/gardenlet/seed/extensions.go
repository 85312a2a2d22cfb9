package seed

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// extensions are the Extensions of one seed, in its garden namespace. They are not about shoots.
type extensions struct {
	seed   client.Client
	apply  extension.Objects
	wanted []gardencorev1beta1.Extension
	stamps map[string]string // of the requests of this run, by type
}

func (r *Reconciler) extensionsOf(seed *gardencorev1beta1.Seed) *extensions {
	out := &extensions{seed: r.SeedClient, apply: extension.Objects{Applier: r.cluster().applier(), Clock: r.Clock}, stamps: map[string]string{}}
	for _, one := range seed.Spec.Extensions {
		if seed.DeletionTimestamp == nil && !ptr.Deref(one.Disabled, false) {
			out.wanted = append(out.wanted, one)
		}
	}
	return out
}

// deploy writes the Extensions that the Seed names, and deletes the others.
func (e *extensions) deploy(ctx context.Context) error {
	for _, one := range e.wanted {
		object := named(one.Type)
		object.Spec.DefaultSpec = extensionsv1alpha1.DefaultSpec{Type: one.Type, Class: ptr.To(extensionsv1alpha1.ExtensionClassSeed), ProviderConfig: one.ProviderConfig}
		stamp, err := e.apply.Deploy(ctx, object, constants.GardenerOperationReconcile)
		if err != nil {
			return err
		}
		e.stamps[one.Type] = stamp
	}
	_, err := e.deleteOthers(ctx)
	return err
}

// await returns an error until the extensions have done what was requested.
func (e *extensions) await(ctx context.Context) error {
	var all error
	for _, one := range e.wanted {
		object := named(one.Type)
		if err := e.seed.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return fmt.Errorf("read extension %q of the seed: %w", object.Name, err)
		}
		if err := extension.Finished(object, e.stamps[one.Type]); err != nil {
			all = errors.Join(all, fmt.Errorf("extension %q of the seed: %w", object.Name, err))
		}
	}
	left, err := e.deleteOthers(ctx)
	if err == nil && left != "" {
		err = fmt.Errorf("extension %q of the seed is still being deleted", left)
	}
	return errors.Join(all, err)
}

// deleteOthers deletes the Extensions of the seed that are not wanted, and returns the name of one that is left.
func (e *extensions) deleteOthers(ctx context.Context) (left string, err error) {
	list := &extensionsv1alpha1.ExtensionList{}
	err = e.seed.List(ctx, list, client.InNamespace(constants.GardenNamespace))
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return "", nil // the kind is not known yet, or any more
	}
	if err != nil {
		return "", fmt.Errorf("list extensions of the seed: %w", err)
	}
	for i := range list.Items {
		object := &list.Items[i]
		if object.Spec.GetExtensionClass() != extensionsv1alpha1.ExtensionClassSeed || e.wants(object.Spec.Type) {
			continue
		}
		left = object.Name
		if object.DeletionTimestamp != nil {
			continue
		}
		confirm := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true",%q:%q}}}`, constants.ConfirmationDeletion, constants.GardenerTimestamp, e.apply.Clock.Now().UTC().Format(time.RFC3339Nano))
		err := e.seed.Patch(ctx, object, client.RawPatch("application/merge-patch+json", confirm))
		if err == nil {
			err = e.seed.Delete(ctx, object)
		}
		if client.IgnoreNotFound(err) != nil {
			return left, fmt.Errorf("delete extension %q of the seed: %w", object.Name, err)
		}
	}
	return left, nil
}

func (e *extensions) wants(typ string) bool {
	for _, one := range e.wanted {
		if one.Type == typ {
			return true
		}
	}
	return false
}

func named(typ string) *extensionsv1alpha1.Extension {
	return &extensionsv1alpha1.Extension{ObjectMeta: metav1.ObjectMeta{Name: typ, Namespace: constants.GardenNamespace}}
}
