package examine

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// others looks for a Gardener that somebody else has installed, and for a Garden of another name.
func (e *examination) others() bool {
	const check = "other Gardener"
	const cure = "remove it, or take another cluster; hand over what you made yourself with the label " + objects.LabelManagedBy + "=" + objects.ManagedBy
	definitions, err := objects.Definitions()
	if err != nil {
		return e.problem(check, "take a binary that is whole", "%v", err)
	}
	var foreign []string
	for _, object := range append(definitions, objects.Namespace()) {
		present := object.DeepCopyObject()
		var err error
		switch present := present.(type) {
		case *apiextensionsv1.CustomResourceDefinition:
			if err = e.in.Cluster.Client.Get(e.ctx, keyOf(object), present); err == nil && !objects.Ours(present) {
				foreign = append(foreign, objects.Describe(object))
			}
		case *corev1.Namespace:
			if err = e.in.Cluster.Client.Get(e.ctx, keyOf(object), present); err == nil && !objects.Ours(present) {
				foreign = append(foreign, objects.Describe(object))
			}
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return e.problem(check, cure, "%s cannot be read: %v", objects.Describe(object), err)
		}
	}
	if len(foreign) > 0 {
		return e.problem(check, cure, "somebody else has installed %s", strings.Join(foreign, ", "))
	}
	gardens := &operatorv1alpha1.GardenList{}
	if err := e.in.Cluster.Client.List(e.ctx, gardens); err != nil && !meta.IsNoMatchError(err) && !apierrors.IsNotFound(err) {
		return e.problem(check, cure, "Gardens cannot be listed: %v", err)
	}
	for i, garden := range gardens.Items {
		if garden.Name != e.in.Garden {
			return e.problem(check, "name it with --name "+garden.Name+", or remove it first", "the cluster has the Garden %q, and can have only one", garden.Name)
		}
		if !objects.Ours(&gardens.Items[i]) {
			return e.problem(check, cure, "somebody else has made the Garden %q", garden.Name)
		}
		e.present = &gardens.Items[i]
	}
	return e.ok(check, "there is none")
}
