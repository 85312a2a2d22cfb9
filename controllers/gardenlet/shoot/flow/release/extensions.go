package release

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
)

// Choice selects objects; nil selects all.
type Choice func(client.Object) bool

// Extensions are the extension objects of some kinds in the namespace of a shoot.
type Extensions struct {
	Kinds  []string
	Choose Choice
	Space  seed.Space
}

// Migrate asks the extensions to save the state of the objects and to release them.
func (e Extensions) Migrate(ctx context.Context) error {
	return e.each(func(kind string) error { return e.Space.Extensions.MigrateAll(ctx, kind, e.Space.Name, e.Choose) })
}

// Await waits until the extensions have done so.
func (e Extensions) Await(ctx context.Context) error {
	return e.each(func(kind string) error { return e.Space.Extensions.WaitAllMigrated(ctx, kind, e.Space.Name, e.Choose) })
}

// Delete deletes the released objects.
func (e Extensions) Delete(ctx context.Context) error {
	return e.each(func(kind string) error { return e.Space.Extensions.DeleteAll(ctx, kind, e.Space.Name, e.spared) })
}

// AwaitGone waits until they are gone.
func (e Extensions) AwaitGone(ctx context.Context) error {
	return e.each(func(kind string) error { return e.Space.Extensions.WaitAllGone(ctx, kind, e.Space.Name, e.spared) })
}

// spared reports whether an object is not selected.
func (e Extensions) spared(object client.Object) bool { return e.Choose != nil && !e.Choose(object) }

func (e Extensions) each(do func(kind string) error) error {
	for _, kind := range e.Kinds {
		if err := do(kind); err != nil {
			return err
		}
	}
	return nil
}
