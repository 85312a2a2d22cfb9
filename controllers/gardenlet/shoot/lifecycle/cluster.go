package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// syncCluster writes the Cluster object, through which extensions see the objects of the garden.
func syncCluster(ctx context.Context, c client.Client, op *operation.Operation, shoot *gardencorev1beta1.Shoot) error {
	cluster, err := newCluster(op, shoot)
	if err != nil {
		return err
	}
	applied, err := patch.Applier{Client: c, Owner: seed.Owner}.Apply(ctx, cluster)
	if err != nil || applied.GetAnnotations()[contract.AnnotationTaken] == "" {
		return err
	}
	// The shoot has come back before this seed had removed all that it had of it. Another writer set the mark, so Apply leaves it.
	err = c.Patch(ctx, cluster, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:null}}}`, contract.AnnotationTaken)), seed.Owner)
	if err != nil {
		return fmt.Errorf("remove mark of cluster %q: %w", cluster.Name, err)
	}
	return nil
}

func newCluster(op *operation.Operation, shoot *gardencorev1beta1.Shoot) (*extensionsv1alpha1.Cluster, error) {
	cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: op.TechnicalID()}}
	profile, seedCopy, copied := op.CloudProfile.DeepCopy(), op.Seed.DeepCopy(), shoot.DeepCopy()
	for _, document := range []struct {
		kind   string
		object interface {
			runtime.Object
			metav1.Object
		}
		target *runtime.RawExtension
	}{
		{"CloudProfile", profile, &cluster.Spec.CloudProfile},
		{"Seed", seedCopy, &cluster.Spec.Seed},
		{"Shoot", copied, &cluster.Spec.Shoot},
	} {
		document.object.SetManagedFields(nil)
		document.object.GetObjectKind().SetGroupVersionKind(gardencorev1beta1.SchemeGroupVersion.WithKind(document.kind))
		raw, err := json.Marshal(document.object)
		if err != nil {
			return nil, fmt.Errorf("encode %s for extensions: %w", document.kind, err)
		}
		document.target.Raw = raw
	}
	return cluster, nil
}
