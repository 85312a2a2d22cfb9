package registry

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// fixed is a storage that answers every write with the same version or error. What real storages answer is tested
// in the integration tests.
type fixed struct {
	storage.Interface
	version string
	err     error
}

func (f *fixed) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

func (f *fixed) answer(out runtime.Object) error {
	if f.err == nil {
		out.(metav1.Object).SetResourceVersion(f.version)
	}
	return f.err
}

func (f *fixed) Create(_ context.Context, _ string, _, out runtime.Object, _ uint64) error {
	return f.answer(out)
}

func (f *fixed) Delete(_ context.Context, _ string, out runtime.Object, _ *storage.Preconditions, _ storage.ValidateObjectFunc, _ runtime.Object, _ storage.DeleteOptions) error {
	return f.answer(out)
}

func (f *fixed) GuaranteedUpdate(_ context.Context, _ string, out runtime.Object, _ bool, _ *storage.Preconditions, _ storage.UpdateFunc, _ runtime.Object) error {
	return f.answer(out)
}

func TestWritesAreNoted(t *testing.T) {
	store, objects, seeds := &fixed{}, NewObjects(), core.Resource("seeds")
	options, err := noting{generic.RESTOptions{Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object, func() runtime.Object,
		storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
		return store, func() {}, nil
	}}, objects}.GetRESTOptions(seeds, &core.Seed{})
	if err != nil {
		t.Fatal(err)
	}
	noted, _, err := options.Decorator(nil, "", nil, nil, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	create := func() error { return noted.Create(ctx, "", nil, &core.Seed{}, 0) }
	update := func() error { return noted.GuaranteedUpdate(ctx, "", &core.Seed{}, false, nil, nil, nil) }
	remove := func() error { return noted.Delete(ctx, "", &core.Seed{}, nil, nil, nil, storage.DeleteOptions{}) }
	for _, step := range []struct {
		name    string
		write   func() error
		version string
		err     error
		want    string
	}{
		{"a creation", create, "7", nil, "7"},
		{"an update", update, "9", nil, "9"},
		{"an update that changed nothing answers an older version", update, "8", nil, "9"},
		{"a write that failed", update, "10", errors.New("conflict"), "9"},
		{"a deletion", remove, "12", nil, "12"},
	} {
		store.version, store.err = step.version, step.err
		if err := step.write(); !errors.Is(err, step.err) {
			t.Errorf("%s: %v", step.name, err)
		}
		if got := objects.writes[seeds].version(); got != step.want {
			t.Errorf("%s: read at least version %s, want %s", step.name, got, step.want)
		}
	}
	if other := objects.writes[schema.GroupResource{Resource: "others"}]; other != nil {
		t.Error("a kind without storage has writes")
	}
}
