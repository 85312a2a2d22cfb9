// Package projects finds the Project of a namespace; for admission plugins.
package projects

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// Of returns the project of a namespace, which must not be changed; nil if the namespace belongs to none.
func Of(ctx context.Context, objects initializer.Objects, namespace string) (*core.Project, error) {
	var found *core.Project
	err := objects.Each(ctx, core.Resource("projects"), "", func(obj runtime.Object) bool {
		if project := obj.(*core.Project); ptr.Deref(project.Spec.Namespace, "") == namespace {
			found = project
		}
		return found == nil
	})
	if err != nil {
		return nil, fmt.Errorf("find project of namespace %q: %w", namespace, err)
	}
	return found, nil
}
