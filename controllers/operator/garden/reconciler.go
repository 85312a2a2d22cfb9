package garden

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/access"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/authority"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/rotation"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	operatorvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/operator"
)

const (
	// ComponentTimeout is how long a reconciliation waits for one component, before it says what does not serve and begins anew.
	ComponentTimeout = time.Minute

	progressPeriod = time.Second
)

// Reconciler handles Gardens. All fields are required.
type Reconciler struct {
	Runtime   client.Client // of the runtime cluster; reads Gardens from a cache
	Host      host.Host
	Authority authority.Authority
	Access    access.Access
	Password  observability.Password
	Users     rotation.Users
	Clock     clock.PassiveClock
	// SyncPeriod is the time between two reconciliations without a change.
	SyncPeriod time.Duration
	// ComponentTimeout bounds the wait for one component.
	ComponentTimeout time.Duration
}

// Reconcile makes the landscape what one Garden describes. An invalid Garden waits for its user; anything else is retried.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	garden := &operatorv1alpha1.Garden{}
	if err := r.Runtime.Get(ctx, request.NamespacedName, garden); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if garden.DeletionTimestamp != nil {
		return r.delete(ctx, garden)
	}
	if older, err := r.older(ctx, garden); err != nil {
		return reconcile.Result{}, err
	} else if older != "" {
		mistake := field.Invalid(field.NewPath("metadata", "name"), garden.Name, fmt.Sprintf("there is the Garden %q already, and a cluster runs only one; delete this one", older))
		return reconcile.Result{RequeueAfter: secondPeriod}, r.refuse(ctx, garden, field.ErrorList{mistake})
	}
	if err := r.prepare(ctx, garden); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if mistakes := r.mistakes(garden); len(mistakes) > 0 {
		return reconcile.Result{}, r.refuse(ctx, garden, mistakes)
	}
	if err := r.beginRotations(ctx, garden); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	graph, err := r.graph(garden)
	if err != nil {
		return reconcile.Result{}, err
	}
	s := r.begin(garden)
	s.quiet = s.quiet && r.serving(ctx) && !rotation.Unfinished(&garden.Status)
	if err := graph.Run(ctx, flow.Options{Log: log.FromContext(ctx), Progress: s.progress, ProgressPeriod: progressPeriod}); err != nil {
		return reconcile.Result{}, errors.Join(err, s.fail(ctx, err))
	}
	again := r.SyncPeriod
	if err := s.succeed(ctx, description(r.Host, garden)); err != nil {
		return reconcile.Result{}, err
	}
	if rotation.Unfinished(&s.garden.Status) { // one that completes itself
		again = time.Millisecond
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

// beginRotations notes in the status which rotations the annotation starts or completes, and then takes it away: what is noted goes on
// after a crash.
func (r *Reconciler) beginRotations(ctx context.Context, garden *operatorv1alpha1.Garden) error {
	operations := garden.Annotations[constants.GardenerOperation]
	if !rotation.IsRotation(operations) {
		return nil
	}
	before := garden.DeepCopy()
	rotation.Start(&garden.Status, operations, r.Host.Credentials, r.Clock.Now())
	if err := patch.Status(ctx, r.Runtime, garden, before); err != nil {
		return err
	}
	return patch.Metadata(ctx, r.Runtime, garden, func() { delete(garden.Annotations, constants.GardenerOperation) })
}

// prepare adds the finalizer and takes away the annotation that asks for this reconciliation.
func (r *Reconciler) prepare(ctx context.Context, garden *operatorv1alpha1.Garden) error {
	return patch.Metadata(ctx, r.Runtime, garden, func() {
		controllerutil.AddFinalizer(garden, constants.FinalizerOperator)
		if garden.Annotations[constants.GardenerOperation] == constants.GardenerOperationReconcile {
			delete(garden.Annotations, constants.GardenerOperation)
		}
	})
}

// mistakes validates the Garden once more: not every API server calls the webhook.
func (r *Reconciler) mistakes(garden *operatorv1alpha1.Garden) field.ErrorList {
	if !r.runs(garden) {
		return field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), garden.Name, fmt.Sprintf("this landscape runs only the Garden %q; delete this one", r.Host.Name))}
	}
	complete := garden.DeepCopy()
	operatorv1alpha1.SetDefaultsGarden(complete)
	mistakes := operatorvalidation.ValidateGarden(complete, Rules(r.Host))
	if !rotation.Changes(&garden.Status, garden.Annotations[constants.GardenerOperation], r.Host.Credentials) {
		mistakes = append(mistakes, operatorvalidation.ValidateGardenOperation(complete, Rules(r.Host))...)
	}
	return mistakes
}

// runs reports whether the host runs this Garden.
func (r *Reconciler) runs(garden *operatorv1alpha1.Garden) bool {
	return r.Host.Name == "" || garden.Name == r.Host.Name
}

// serving asks every component once.
func (r *Reconciler) serving(ctx context.Context) bool {
	return !slices.ContainsFunc(r.Host.Components, func(c host.Component) bool { return c.Serves != nil && c.Serves(ctx) != nil })
}

// Rules returns what the host allows in a Garden.
func Rules(h host.Host) operatorvalidation.Host {
	return operatorvalidation.Host{
		Versions: h.Versions, Domain: h.Domain, Services: h.Services,
		Fixed: operatorvalidation.Fixed{
			Authorities: h.Credentials.Authorities == nil, ServiceAccountKey: h.Credentials.ServiceAccountKey == nil, EncryptionKey: h.Credentials.EncryptionKey == nil,
			Observability: !h.Credentials.Observability,
		},
	}
}

func (r *Reconciler) refuse(ctx context.Context, garden *operatorv1alpha1.Garden, mistakes field.ErrorList) error {
	s := r.begin(garden)
	return s.write(ctx, gardencorev1beta1.LastOperationStateError, s.percent(), "the Garden is invalid: "+mistakes.ToAggregate().Error())
}
