package flow

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Finished tells whether an extension is done with an object, whenever that was.
func Finished(object extensionsv1alpha1.Object) error { return extension.Finished(object, "") }

func (p *Plan) newExtension(e operation.Extension) *extensionsv1alpha1.Extension {
	return &extensionsv1alpha1.Extension{
		ObjectMeta: metav1.ObjectMeta{Name: e.Type, Namespace: p.namespace},
		Spec:       extensionsv1alpha1.ExtensionSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: e.Type, ProviderConfig: e.ProviderConfig}},
	}
}

// before and later choose extensions by their turn in a reconciliation.
func before(e operation.Extension) bool { return e.Reconcile == gardencorev1beta1.BeforeKubeAPIServer }
func later(e operation.Extension) bool  { return !before(e) }

// lastDeleted chooses the extensions that outlive kube-apiserver, firstDeleted the others.
func lastDeleted(e operation.Extension) bool {
	return e.Delete == gardencorev1beta1.AfterKubeAPIServer
}
func firstDeleted(e operation.Extension) bool { return !lastDeleted(e) }

func (p *Plan) deployExtensions(chosen func(operation.Extension) bool) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, e := range p.Extensions {
			if chosen(e) {
				if err := p.deployExtension(ctx, p.newExtension(e), extensionsv1alpha1.ExtensionResource); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (p *Plan) awaitExtensions(chosen func(operation.Extension) bool) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, e := range p.Extensions {
			if chosen(e) {
				if err := p.awaitExtension(ctx, p.newExtension(e), extensionsv1alpha1.ExtensionResource); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// keepExtensions returns a filter for the objects of chosen extensions.
func (p *Plan) keepExtensions(chosen func(operation.Extension) bool) func(client.Object) bool {
	return func(object client.Object) bool {
		for _, e := range p.Extensions {
			if e.Type == object.GetName() {
				return chosen(e)
			}
		}
		return false
	}
}

func every(operation.Extension) bool { return true }
func none(operation.Extension) bool  { return false }

// deleteExtensions deletes all objects but those to keep.
func (p *Plan) deleteExtensions(keep func(operation.Extension) bool) func(context.Context) error {
	return func(ctx context.Context) error {
		return p.objects.DeleteAll(ctx, extensionsv1alpha1.ExtensionResource, p.namespace, p.keepExtensions(keep))
	}
}

func (p *Plan) awaitExtensionsGone(keep func(operation.Extension) bool) func(context.Context) error {
	return func(ctx context.Context) error {
		return p.objects.WaitAllGone(ctx, extensionsv1alpha1.ExtensionResource, p.namespace, p.keepExtensions(keep))
	}
}
