package managedseedset

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/ptr"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// AddScale adds the subresource managedseedsets/scale, which shows a set as a Scale of autoscaling/v1.
func AddScale(paths map[string]rest.Storage, sets *registry.Store) {
	paths["managedseedsets/scale"] = &scaleREST{sets: sets, table: rest.NewDefaultTableConvertor(autoscalingv1.Resource("scales"))}
}

type scaleREST struct {
	sets  *registry.Store
	table rest.TableConvertor
}

func (r *scaleREST) New() runtime.Object { return &autoscalingv1.Scale{} }

// Destroy does nothing: the main endpoint owns the store.
func (r *scaleREST) Destroy() {}

// GroupVersionKind is the kind of the body, which differs from that of the parent resource.
func (r *scaleREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return autoscalingv1.SchemeGroupVersion.WithKind("Scale")
}

func (r *scaleREST) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return r.table.ConvertToTable(ctx, object, options)
}

func (r *scaleREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	set, err := r.sets.Get(ctx, name, options)
	if err != nil {
		return nil, err
	}
	return scaleOf(set)
}

// Update changes only spec.replicas of the set. Admission plugins see the Scale.
func (r *scaleREST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, _ rest.ValidateObjectFunc, validate rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	updated, _, err := r.sets.Update(ctx, name, scaled{info}, rest.ValidateAllObjectFunc,
		func(ctx context.Context, obj, old runtime.Object) error {
			scale, err := scaleOf(obj)
			if err != nil {
				return err
			}
			before, err := scaleOf(old)
			if err != nil {
				return err
			}
			return validate(ctx, scale, before)
		}, false, options)
	if err != nil {
		return nil, false, err
	}
	scale, err := scaleOf(updated)
	return scale, false, err
}

// scaled converts an update of a Scale to an update of its set.
type scaled struct {
	rest.UpdatedObjectInfo
}

func (s scaled) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	set, ok := old.DeepCopyObject().(*seedmanagement.ManagedSeedSet)
	if !ok {
		return nil, fmt.Errorf("scale: got %T", old)
	}
	before, err := scaleOf(set)
	if err != nil {
		return nil, err
	}
	after, err := s.UpdatedObjectInfo.UpdatedObject(ctx, before)
	if err != nil {
		return nil, err
	}
	scale, ok := after.(*autoscalingv1.Scale)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the body must be a Scale, not a %T", after))
	}
	if scale.Spec.Replicas < 0 {
		return nil, apierrors.NewInvalid(autoscalingv1.SchemeGroupVersion.WithKind("Scale").GroupKind(), scale.Name, field.ErrorList{
			field.Invalid(field.NewPath("spec", "replicas"), scale.Spec.Replicas, "must not be negative")})
	}
	set.Spec.Replicas = &scale.Spec.Replicas
	set.ResourceVersion = scale.ResourceVersion // a client that names one wants a conflict
	if set.ResourceVersion == "" {
		set.ResourceVersion = before.ResourceVersion
	}
	return set, nil
}

func scaleOf(obj runtime.Object) (*autoscalingv1.Scale, error) {
	set, ok := obj.(*seedmanagement.ManagedSeedSet)
	if !ok {
		return nil, fmt.Errorf("scale: got %T", obj)
	}
	selector, err := metav1.LabelSelectorAsSelector(&set.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("selector of the set %s/%s: %w", set.Namespace, set.Name, err)
	}
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: set.Name, Namespace: set.Namespace, UID: set.UID, ResourceVersion: set.ResourceVersion, CreationTimestamp: set.CreationTimestamp,
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: ptr.Deref(set.Spec.Replicas, 1)},
		Status: autoscalingv1.ScaleStatus{Replicas: set.Status.Replicas, Selector: selector.String()},
	}, nil
}
