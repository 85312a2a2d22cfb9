package extension

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Migrate asks the extension of an existing object to release it for another seed. An object that is released already, or that is
// being deleted after that, stays as it is.
func (o Objects) Migrate(ctx context.Context, object extensionsv1alpha1.Object) error {
	if Migrated(object) == nil || object.GetAnnotations()[constants.GardenerOperation] == constants.GardenerOperationMigrate {
		return nil
	}
	request := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q,%q:%q}}}`,
		constants.GardenerOperation, constants.GardenerOperationMigrate, constants.GardenerTimestamp, o.Clock.Now().UTC().Format(time.RFC3339Nano))
	err := o.Applier.Client.Patch(ctx, object.(client.Object), client.RawPatch("application/merge-patch+json", request))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("ask for the migration of %T %q: %w", object, client.ObjectKeyFromObject(object.(client.Object)), err)
	}
	return nil
}

// Migrated reports whether the extension has released an object. The error says what is missing.
func Migrated(object extensionsv1alpha1.Object) error {
	status := object.GetExtensionStatus()
	last := status.GetLastOperation()
	switch {
	case status.GetLastError() != nil && last != nil && last.Type == gardencorev1beta1.LastOperationTypeMigrate:
		return fmt.Errorf("extension encountered error during migration: %s", status.GetLastError().Description)
	case object.GetAnnotations()[constants.GardenerOperation] != "":
		return fmt.Errorf("operation %q has not been finished yet", object.GetAnnotations()[constants.GardenerOperation])
	case last == nil || last.Type != gardencorev1beta1.LastOperationTypeMigrate:
		return errors.New("its migration has not begun yet")
	case last.State != gardencorev1beta1.LastOperationStateSucceeded:
		return fmt.Errorf("its migration is %s, not yet %s", last.State, gardencorev1beta1.LastOperationStateSucceeded)
	}
	return nil
}

// MigrateAll asks for the migration of all objects of a kind in a namespace that choose selects; nil selects all.
func (o Objects) MigrateAll(ctx context.Context, kind, namespace string, choose func(client.Object) bool) error {
	return o.each(ctx, kind, namespace, choose, o.Migrate)
}

// WaitAllMigrated returns when the extensions have released all objects of a kind in a namespace that choose selects.
func (o Objects) WaitAllMigrated(ctx context.Context, kind, namespace string, choose func(client.Object) bool) error {
	return o.each(ctx, kind, namespace, choose, func(ctx context.Context, object extensionsv1alpha1.Object) error {
		return o.WaitFor(ctx, object, "", func() error { return Migrated(object) })
	})
}

// All returns the objects of a kind in a namespace.
func (o Objects) All(ctx context.Context, kind, namespace string) ([]extensionsv1alpha1.Object, error) {
	var all []extensionsv1alpha1.Object
	err := o.each(ctx, kind, namespace, nil, func(_ context.Context, object extensionsv1alpha1.Object) error {
		all = append(all, object)
		return nil
	})
	return all, err
}

// each calls do for the selected objects of a kind, as they are now.
func (o Objects) each(ctx context.Context, kind, namespace string, choose func(client.Object) bool, do func(context.Context, extensionsv1alpha1.Object) error) error {
	list, err := o.list(ctx, kind, namespace)
	if err != nil {
		return err
	}
	for i := range list.Items {
		if choose != nil && !choose(&list.Items[i]) {
			continue
		}
		typed, err := o.typed(kind, namespace, list.Items[i].GetName())
		if err != nil {
			return err
		}
		if err := o.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: typed.GetName()}, typed.(client.Object)); err != nil {
			if client.IgnoreNotFound(err) == nil {
				continue
			}
			return fmt.Errorf("read %T %q: %w", typed, client.ObjectKeyFromObject(typed.(client.Object)), err)
		}
		if err := do(ctx, typed); err != nil {
			return err
		}
	}
	return nil
}

func (o Objects) typed(kind, namespace, name string) (extensionsv1alpha1.Object, error) {
	made, err := o.Client.Scheme().New(extensionsv1alpha1.SchemeGroupVersion.WithKind(kind))
	if err != nil {
		return nil, fmt.Errorf("find kind %s: %w", kind, err)
	}
	object, ok := made.(extensionsv1alpha1.Object)
	if !ok {
		return nil, fmt.Errorf("kind %s is no extension kind", kind)
	}
	object.SetNamespace(namespace)
	object.SetName(name)
	return object, nil
}
