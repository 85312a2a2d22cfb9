package garden

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// seedsPeriod is the time between two looks at Seeds that hold up a deletion.
const seedsPeriod = 10 * time.Second

// seeds are the names of the Seeds of a garden whose data go with its deletion. A virtual garden that has never served has none. One that does not
// answer may have some, so its deletion waits until it answers, or until its user confirms that nobody needs them.
func (r *Reconciler) seeds(ctx context.Context, garden *operatorv1alpha1.Garden) (names []string, _ error) {
	if r.Host.Destroy == nil || !r.runs(garden) || garden.Annotations[constants.ConfirmationForceDeletion] == "true" {
		return nil, nil
	}
	config, err := r.Access.Virtual(ctx)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	unknown := func(err error) error {
		return fmt.Errorf("ask the virtual garden for its Seeds (annotate the Garden with %s=true if it has none that anybody needs): %w", constants.ConfirmationForceDeletion, err)
	}
	if err != nil {
		return nil, unknown(err)
	}
	virtual, err := client.New(config, client.Options{Scheme: runtime.NewScheme()})
	if err != nil {
		return nil, unknown(err)
	}
	all := &metav1.PartialObjectMetadataList{}
	all.SetGroupVersionKind(gardencorev1beta1.SchemeGroupVersion.WithKind("SeedList"))
	if err := virtual.List(ctx, all); meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, unknown(err)
	}
	for _, seed := range all.Items {
		names = append(names, seed.Name)
	}
	return names, nil
}
