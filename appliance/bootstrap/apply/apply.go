// Package apply writes objects to a runtime cluster. It may be interrupted at any time and run again.
package apply

import (
	"context"
	"errors"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/appliance/gardens"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Owner is the field manager of what a bootstrap writes.
const Owner = client.FieldOwner("gardener-bootstrap")

// pause between two looks at what is not ready yet.
const pause = 300 * time.Millisecond

// ErrForeign means that somebody else has written an object of the same name.
var ErrForeign = errors.New("somebody else has installed it")

// All writes the objects in order, and waits until definitions are served before it writes what follows them. It tells which object it
// wrote. It never takes over an object that somebody else has written.
func All(ctx context.Context, c client.Client, all []client.Object, tell func(client.Object)) error {
	for i, object := range all {
		if err := one(ctx, c, object); err != nil {
			return err
		}
		tell(object)
		if isDefinition(object) && (i+1 == len(all) || !isDefinition(all[i+1])) {
			if err := served(ctx, c, all[:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

func one(ctx context.Context, c client.Client, object client.Object) error {
	if garden, is := object.(*operatorv1alpha1.Garden); is {
		return oneGarden(ctx, c, garden)
	}
	what := objects.Describe(object)
	wanted, err := Unstructured(object)
	if err != nil {
		return fmt.Errorf("encode %s: %w", what, err)
	}
	present := &unstructured.Unstructured{}
	present.SetGroupVersionKind(wanted.GroupVersionKind())
	switch err := c.Get(ctx, client.ObjectKeyFromObject(wanted), present); {
	case apierrors.IsNotFound(err):
	case err != nil:
		return fmt.Errorf("read %s: %w", what, err)
	case present.GetDeletionTimestamp() != nil:
		return fmt.Errorf("%s is being deleted", what)
	case !objects.Ours(present):
		return fmt.Errorf("%s: %w", what, ErrForeign)
	}
	if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(wanted), Owner, client.ForceOwnership); err != nil {
		return fmt.Errorf("apply %s: %w", what, err)
	}
	return nil
}

// oneGarden makes the Garden, or brings one that a bootstrap has made to the wanted version and ranges. All else of it is its users'. The
// operator may just be restarting, and then nobody answers for its webhooks.
func oneGarden(ctx context.Context, c client.Client, garden *operatorv1alpha1.Garden) error {
	what := objects.Describe(garden)
	for {
		present := &operatorv1alpha1.Garden{}
		err := c.Get(ctx, client.ObjectKeyFromObject(garden), present)
		switch {
		case err == nil && present.DeletionTimestamp != nil:
			return fmt.Errorf("%s is being deleted", what)
		case err == nil && !objects.Ours(present):
			return fmt.Errorf("%s: %w", what, ErrForeign)
		case client.IgnoreNotFound(err) != nil:
			return fmt.Errorf("read %s: %w", what, err)
		}
		err = gardens.Applier{Client: c, Wanted: garden}.Apply(ctx)
		if !apierrors.IsInternalError(err) && !apierrors.IsConflict(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", err, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// Unstructured is the object without what only the API server and controllers write.
func Unstructured(object client.Object) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	delete(content, "status")
	prune(content)
	return &unstructured.Unstructured{Object: content}, nil
}

// prune removes nulls, which Go types write for empty times and slices. Owning a null would remove the default.
func prune(value any) {
	switch typed := value.(type) {
	case map[string]any:
		for key, item := range typed {
			if item == nil {
				delete(typed, key)
				continue
			}
			prune(item)
		}
	case []any:
		for _, item := range typed {
			prune(item)
		}
	}
}

func isDefinition(object client.Object) bool {
	_, is := object.(*apiextensionsv1.CustomResourceDefinition)
	return is
}

// served waits until the API server serves all definitions.
func served(ctx context.Context, c client.Client, all []client.Object) error {
	for _, object := range all {
		for isDefinition(object) {
			present := &apiextensionsv1.CustomResourceDefinition{}
			if err := c.Get(ctx, client.ObjectKeyFromObject(object), present); err != nil {
				return fmt.Errorf("read %s: %w", objects.Describe(object), err)
			}
			if established(present) {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("wait until %s is served: %w", objects.Describe(object), ctx.Err())
			case <-time.After(pause):
			}
		}
	}
	return nil
}

func established(definition *apiextensionsv1.CustomResourceDefinition) bool {
	for _, condition := range definition.Status.Conditions {
		if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
			return true
		}
	}
	return false
}
