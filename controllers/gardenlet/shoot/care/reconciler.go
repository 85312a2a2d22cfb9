// Package care checks the health of running shoots and maintains their conditions. It repairs nothing.
package care

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/status"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// checkTimeout limits one check of a shoot.
const checkTimeout = 30 * time.Second

// WithDefaults sets empty fields to their defaults.
func (s Settings) WithDefaults() Settings {
	s.ConcurrentSyncs = cmp.Or(s.ConcurrentSyncs, 20)
	s.SyncPeriod = cmp.Or(s.SyncPeriod, time.Minute)
	return s
}

// Reconcile checks one Shoot.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Garden.Get(ctx, req.NamespacedName, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if helper.ResponsibleSeed(shoot) != r.SeedName || !Worthwhile(shoot) {
		return reconcile.Result{}, nil // the end of the current operation wakes the Shoot
	}
	look, cancel := context.WithTimeout(ctx, checkTimeout) // the findings can be written after it
	defer cancel()
	findings, constrained, err := r.findings(look, shoot)
	if err != nil {
		return reconcile.Result{}, err
	}
	deployments, err := r.deployments(look, shoot)
	if err != nil {
		return reconcile.Result{}, err
	}
	writer := status.New(status.Config{Client: r.Garden, Reader: r.GardenReader, SeedName: r.SeedName}, shoot)
	err = writer.Update(ctx, func(s *gardencorev1beta1.ShootStatus) {
		next := shoot.DeepCopy()
		next.Status = *s
		r.apply(next, findings)
		applyConstraints(next, constrained, r.Clock.Now())
		r.inPlaceUpdates(next, deployments)
		*s = next.Status
	})
	if status.Lost(err) {
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	shoot = writer.Shoot()
	if err := lifecycle.SetHealthLabel(ctx, r.Garden, shoot); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: NextLook(shoot.Status.Conditions, r.SyncPeriod, r.Clock.Now())}, nil
}

const (
	// soon is the interval for checking conditions that have just become worse. recent is how long a change counts as
	// just.
	soon   = 3 * time.Second
	recent = time.Minute
)

// NextLook returns when to check again: soon if the state is likely to recover in a moment.
func NextLook(all []gardencorev1beta1.Condition, period time.Duration, now time.Time) time.Duration {
	for _, condition := range all {
		if condition.Status != gardencorev1beta1.ConditionTrue && now.Sub(condition.LastTransitionTime.Time) < recent {
			return min(soon, period)
		}
	}
	return period
}

// Worthwhile reports whether there is a control plane to check: not before it has been created, and not while it is
// being deleted.
func Worthwhile(shoot *gardencorev1beta1.Shoot) bool {
	last := shoot.Status.LastOperation
	if last == nil || shoot.Status.TechnicalID == "" || shoot.DeletionTimestamp != nil {
		return false
	}
	return last.Type != gardencorev1beta1.LastOperationTypeCreate || last.State == gardencorev1beta1.LastOperationStateSucceeded
}

// Finished passes the event that an operation has succeeded, since users then want to see the current health of the
// shoot.
func Finished() predicate.Predicate {
	succeeded := func(object client.Object) bool {
		shoot, ok := object.(*gardencorev1beta1.Shoot)
		return ok && shoot.Status.LastOperation != nil && shoot.Status.LastOperation.State == gardencorev1beta1.LastOperationStateSucceeded
	}
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool { return !succeeded(e.ObjectOld) && succeeded(e.ObjectNew) },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}
}

// apply sets the conditions to the findings. A shoot without workers has no conditions about nodes.
func (r *Reconciler) apply(shoot *gardencorev1beta1.Shoot, findings map[gardencorev1beta1.ConditionType]conditions.Finding) {
	now := r.Clock.Now()
	for _, kind := range r.types(shoot) {
		old := conditions.Get(shoot.Status.Conditions, kind)
		finding := conditions.WithThreshold(old, findings[kind], r.Thresholds[kind], now)
		shoot.Status.Conditions = conditions.Set(shoot.Status.Conditions, kind, finding, now)
	}
	if helper.IsWorkerless(shoot) {
		shoot.Status.Conditions = conditions.Remove(shoot.Status.Conditions, EveryNodeReady)
	}
	if !r.monitored(shoot) {
		shoot.Status.Conditions = conditions.Remove(shoot.Status.Conditions, ObservabilityHealthy)
	}
}

func (r *Reconciler) types(shoot *gardencorev1beta1.Shoot) []gardencorev1beta1.ConditionType {
	out := []gardencorev1beta1.ConditionType{APIServerAvailable, ControlPlaneHealthy}
	if !helper.IsWorkerless(shoot) {
		out = append(out, EveryNodeReady)
	}
	out = append(out, SystemComponentsHealthy)
	if r.monitored(shoot) {
		out = append(out, ObservabilityHealthy)
	}
	return out
}

// findings returns the results of all checks. In a hibernated shoot there is nothing to check.
func (r *Reconciler) findings(ctx context.Context, shoot *gardencorev1beta1.Shoot) (map[gardencorev1beta1.ConditionType]conditions.Finding, constraintFindings, error) {
	out := map[gardencorev1beta1.ConditionType]conditions.Finding{}
	authorities, err := r.authorities(ctx, shoot.Status.TechnicalID)
	if err != nil {
		return nil, nil, err
	}
	if shoot.Status.IsHibernated || helper.HibernationIsEnabled(shoot) {
		for _, kind := range r.types(shoot) {
			out[kind] = conditions.True("ConditionNotChecked", "Shoot cluster has been hibernated.")
		}
		constrained := unchecked(conditions.True("ConstraintNotChecked", "Shoot cluster has been hibernated."))
		constrained[gardencorev1beta1.ShootCACertificateValiditiesAcceptable] = authorities
		return out, constrained, nil
	}
	objects, err := r.load(ctx, shoot.Status.TechnicalID)
	if err != nil {
		return nil, nil, err
	}
	constrained := unchecked(conditions.Unknown("ConstraintNotChecked", "Could not reach API server during client initialization."))
	available, err := health.Availability(ctx, r.Seed, shoot)
	if err != nil {
		return nil, nil, err
	}
	if r.monitored(shoot) {
		out[ObservabilityHealthy] = r.observability(ctx, shoot.Status.TechnicalID)
	}
	out[ControlPlaneHealthy] = ControlPlane(objects, available, helper.IsWorkerless(shoot))
	cluster, err := r.connect(ctx, shoot.Status.TechnicalID)
	if err != nil {
		out[APIServerAvailable] = conditions.False("APIServerDown", fmt.Sprintf("Could not reach API server: %v", err))
	} else {
		out[APIServerAvailable] = cluster.apiServer(ctx)
	}
	if out[APIServerAvailable].Status == gardencorev1beta1.ConditionTrue {
		out[EveryNodeReady] = cluster.nodes(ctx, shoot, objects, r.Clock.Now())
		out[SystemComponentsHealthy] = cluster.systemComponents(ctx, objects, helper.IsWorkerless(shoot))
		constrained = cluster.constraints(ctx)
	} else {
		unknown := conditions.Unknown("APIServerDown", "Could not reach API server during client initialization.")
		out[EveryNodeReady], out[SystemComponentsHealthy] = unknown, unknown
	}
	for kind, finding := range Extensions(objects.extensions, r.StaleExtensions, r.Clock.Now()) {
		if out[kind].Status == gardencorev1beta1.ConditionTrue {
			out[kind] = finding
		}
	}
	constrained[gardencorev1beta1.ShootCACertificateValiditiesAcceptable] = authorities
	return out, constrained, nil
}

// shootScheme knows the kinds in shoots that are checked.
var shootScheme = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(apiextensionsv1.AddToScheme(scheme))
	return scheme
})

func (r *Reconciler) connect(ctx context.Context, namespace string) (*shootCluster, error) {
	secret := &corev1.Secret{}
	if err := r.Seed.Get(ctx, client.ObjectKey{Namespace: namespace, Name: constants.SecretNameGardenerInternal}, secret); err != nil {
		return nil, fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	config, err := r.ShootConfig(secret.Data[constants.DataKeyKubeconfig])
	if err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: shootScheme()})
	if err != nil {
		return nil, errors.Join(errors.New("make client of the shoot"), err)
	}
	return &shootCluster{client: c, config: config}, nil
}
