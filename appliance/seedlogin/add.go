package seedlogin

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/appliance/operators"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller of one seed to a manager of the garden. Of Secrets it watches metadata only.
func AddToManager(mgr manager.Manager, seed string, cluster func() (*rest.Config, error)) error {
	r := &Reconciler{
		Garden: mgr.GetClient(), Reader: mgr.GetAPIReader(), Seed: seed, Cluster: cluster, Request: operators.Request, Clock: clock.RealClock{},
	}
	this := func(name string) predicate.Predicate {
		return predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetName() == name })
	}
	own := []reconcile.Request{{NamespacedName: client.ObjectKey{Name: seed}}}
	once := workers.Options{Count: 1, FirstRetry: time.Second, LastRetry: 5 * time.Minute} // some clusters do not sign certificates
	err := builder.ControllerManagedBy(mgr).
		Named("seed-login").
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(this(seed), predicate.GenerationChangedPredicate{})).
		WatchesMetadata(&corev1.Secret{},
			handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request { return own }),
			builder.WithPredicates(this(Name(seed)), predicate.NewPredicateFuncs(func(secret client.Object) bool { return secret.GetNamespace() == Namespace }))).
		WithOptions(once.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller of the login of seed %q: %w", seed, err)
	}
	return nil
}
