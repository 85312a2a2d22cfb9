// Package extensions writes the extension objects of a shoot of the kinds Extension, ControlPlane, Network and
// ContainerRuntime, and waits for them.
package extensions

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Extensions are the objects of kind Extension of a shoot.
type Extensions struct {
	// Needed are the extensions that the shoot needs.
	Needed []operation.Extension
	Space  seed.Space
}

// Deploy returns a step that requests the selected extensions.
func (e Extensions) Deploy(chosen Choice) func(context.Context) (seed.Requests, error) {
	return func(ctx context.Context) (seed.Requests, error) {
		requests := seed.Requests{}
		for _, extension := range e.Needed {
			if chosen(extension) {
				if err := e.Space.Extensions.Add(ctx, requests, e.object(extension)); err != nil {
					return nil, err
				}
			}
		}
		return requests, nil
	}
}

// Await returns a step that waits for the selected extensions.
func (e Extensions) Await(chosen Choice) func(context.Context, seed.Requests) error {
	return func(ctx context.Context, requests seed.Requests) error {
		for _, extension := range e.Needed {
			if chosen(extension) {
				if err := e.Space.Extensions.Await(ctx, e.object(extension), requests); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// Delete returns a step that deletes all objects except those to keep.
func (e Extensions) Delete(kept Choice) func(context.Context) error {
	return func(ctx context.Context) error {
		return e.Space.Extensions.DeleteAll(ctx, extensionsv1alpha1.ExtensionResource, e.Space.Name, e.keep(kept))
	}
}

// AwaitGone waits until the extension has finished the deletion.
func (e Extensions) AwaitGone(kept Choice) func(context.Context) error {
	return func(ctx context.Context) error {
		return e.Space.Extensions.WaitAllGone(ctx, extensionsv1alpha1.ExtensionResource, e.Space.Name, e.keep(kept))
	}
}

// Objects returns a filter for the objects of selected extensions.
func (e Extensions) Objects(chosen Choice) func(client.Object) bool { return e.keep(chosen) }

// keep returns a filter for the objects of selected extensions.
func (e Extensions) keep(chosen Choice) func(client.Object) bool {
	return func(object client.Object) bool {
		for _, wanted := range e.Needed {
			if wanted.Type == object.GetName() {
				return chosen(wanted)
			}
		}
		return false
	}
}

func (e Extensions) object(wanted operation.Extension) *extensionsv1alpha1.Extension {
	return &extensionsv1alpha1.Extension{
		ObjectMeta: metav1.ObjectMeta{Name: wanted.Type, Namespace: e.Space.Name},
		Spec:       extensionsv1alpha1.ExtensionSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: wanted.Type, ProviderConfig: wanted.ProviderConfig}},
	}
}
