// Package projects finds the Project of a namespace. It is for admission plugins.
package projects

import (
	"context"
	"fmt"

	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// Of returns the project of a namespace, which must not be changed; nil if the namespace belongs to none.
func Of(ctx context.Context, objects initializer.Objects, namespace string) (*core.Project, error) {
	found, err := initializer.Find(ctx, objects, core.Resource("projects"), "", func(project *core.Project) bool {
		return ptr.Deref(project.Spec.Namespace, "") == namespace
	})
	if err != nil {
		return nil, fmt.Errorf("find project of namespace %q: %w", namespace, err)
	}
	return found, nil
}
