package resource

import (
	"context"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Storage serves the main endpoint of a kind.
type Storage struct {
	*registry.Store
	shortNames, categories []string
}

// ShortNames are accepted by kubectl instead of the plural.
func (s *Storage) ShortNames() []string { return s.shortNames }

// Categories are groups of kinds like "all".
func (s *Storage) Categories() []string { return s.categories }

// Subresource serves GET, PUT and PATCH of a part of a kind, such as /status.
type Subresource struct {
	store *registry.Store
}

// Storages of one kind. Status is nil if there is no status subresource.
type Storages struct {
	Main   *Storage
	Status *Subresource
}

// Add adds the storages of a kind to the paths that its group serves.
func (s Storages) Add(paths map[string]rest.Storage) {
	plural := s.Main.DefaultQualifiedResource.Resource
	paths[plural] = s.Main
	if s.Status != nil {
		paths[plural+"/status"] = s.Status
	}
}

// Store makes the storages of the kind. It also registers the selectable fields of the kind with the scheme.
func (d Definition[T]) Store(scheme *runtime.Scheme, options generic.RESTOptionsGetter) (Storages, error) {
	if err := d.addSelectors(scheme); err != nil {
		return Storages{}, fmt.Errorf("field selectors of %s: %w", d.Plural, err)
	}
	strategy := newStrategy(d, scheme)
	store := &registry.Store{
		NewFunc:                   func() runtime.Object { return d.New() },
		NewListFunc:               d.NewList,
		PredicateFunc:             d.predicate,
		DefaultQualifiedResource:  d.resource(),
		SingularQualifiedResource: schema.GroupResource{Group: d.GroupVersion.Group, Resource: d.Singular},
		CreateStrategy:            strategy,
		UpdateStrategy:            strategy,
		DeleteStrategy:            strategy,
		TableConvertor:            newTable(d.Columns),
	}
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options, AttrFunc: d.attributes}); err != nil {
		return Storages{}, fmt.Errorf("storage of %s: %w", d.Plural, err)
	}
	out := Storages{Main: &Storage{Store: store, shortNames: d.ShortNames, categories: d.Categories}}
	if d.Strategy.Status.exists() {
		store.ResetFieldsStrategy = resetFields{d.GroupVersion, "status"}
		out.Status = NewSubresource(store, statusStrategy[T]{strategy}, resetFields{d.GroupVersion, "spec"})
	}
	return out, nil
}

func (d Definition[T]) attributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	object, ok := obj.(T)
	if !ok {
		return nil, nil, fmt.Errorf("select by fields of %s: got %T", d.Plural, obj)
	}
	set := generic.ObjectMetaFieldsSet(&metav1.ObjectMeta{Name: object.GetName(), Namespace: object.GetNamespace()}, d.Strategy.Namespaced)
	for name, value := range d.Fields {
		set[name] = value(object)
	}
	return labels.Set(object.GetLabels()), set, nil
}

func (d Definition[T]) predicate(label labels.Selector, field fields.Selector) storage.SelectionPredicate {
	return storage.SelectionPredicate{Label: label, Field: field, GetAttrs: d.attributes}
}

func (d Definition[T]) addSelectors(scheme *runtime.Scheme) error {
	allowed := append([]string{"metadata.name"}, slices.Sorted(maps.Keys(d.Fields))...)
	if d.Strategy.Namespaced {
		allowed = append(allowed, "metadata.namespace")
	}
	return scheme.AddFieldLabelConversionFunc(d.GroupVersion.WithKind(d.Kind), func(label, value string) (string, string, error) {
		if !slices.Contains(allowed, label) {
			return "", "", fmt.Errorf("field label %q is not supported for %s, known are %v", label, d.Kind, allowed)
		}
		return label, value, nil
	})
}

// NewSubresource serves a part of the objects in store with another update strategy. reset names the fields that
// server-side apply through this endpoint does not own. It may be nil.
func NewSubresource(store *registry.Store, strategy rest.RESTUpdateStrategy, reset rest.ResetFieldsStrategy) *Subresource {
	part := *store
	part.CreateStrategy, part.DeleteStrategy = nil, nil
	part.UpdateStrategy, part.ResetFieldsStrategy = strategy, reset
	return &Subresource{store: &part}
}

func (s *Subresource) New() runtime.Object { return s.store.New() }

// Destroy does nothing: the main endpoint owns the store.
func (s *Subresource) Destroy() {}

func (s *Subresource) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return s.store.Get(ctx, name, options)
}

// Update never creates an object, even if the caller allows it.
func (s *Subresource) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	updated, _, err := s.store.Update(ctx, name, info, create, update, false, options)
	return updated, false, clarify(err, s.store.DefaultQualifiedResource)
}

func (s *Subresource) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.store.GetResetFields()
}

func (s *Subresource) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return s.store.ConvertToTable(ctx, object, options)
}

// resetFields names one top-level field that a strategy resets.
type resetFields struct {
	version schema.GroupVersion
	field   string
}

func (r resetFields) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(r.version.String()): fieldpath.NewSet(fieldpath.MakePathOrDie(r.field)),
	}
}
