// Package seed makes a cluster a seed and maintains it: namespaces, kinds, priority classes, identity, and the bucket
// for backups. It writes the status of the Seed. It does not handle the lease of the Seed.
package seed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
	"github.com/gardener-up/gardener-up/controllers/internal/seedstatus"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// deletionRetry is the interval for retrying a deletion that waits for something.
const deletionRetry = 5 * time.Second

// Credentials are a client certificate.
type Credentials interface {
	Expires() time.Time
	Renew(context.Context) error
}

// Reconciler handles the one Seed of a gardenlet. All fields are required unless said otherwise.
type Reconciler struct {
	Garden     client.Client
	SeedClient client.Client // uncached; knows Kubernetes' own kinds and apiextensions/v1
	Discovery  discovery.ServerVersionInterface
	Recorder   events.EventRecorder
	Clock      clock.PassiveClock
	SeedName   string

	Identity  gardencorev1beta1.Gardener // of this gardenlet
	Resources Resources                  // may be empty
	// ResourceManager means that the resource manager is a Deployment in the seed. It belongs to the operator of a Garden in the seed, or else to
	// this gardenlet. If the field is not set, the resource manager is part of this process.
	ResourceManager bool
	// RuntimeCluster means that this process is itself the operator of the Garden in the seed. It keeps all definitions as they should be.
	RuntimeCluster bool
	SyncPeriod     time.Duration
	Care           Care
	// Image is the appliance image. The seed's components use it.
	Image string
	// Pods signs the pods of the seed's components; nil signs none.
	Pods *podsignature.Signer
	// FrontDoors run as pods of the seed; empty if another component routes.
	FrontDoors []frontdoor.Gateway
	// Callback is the name of the Service by which pods of the seed reach the garden, if they and the API server of the seed need the component
	// landscape-callback to reach this process; else nil.
	Callback *types.NamespacedName
	// Leave removes what this process keeps in the seed beside the gardenlet; nil if there is nothing.
	Leave func(ctx context.Context, seed client.Client) error
	// Monitoring gives the seed a Prometheus.
	Monitoring bool
	// ScaleEtcds installs the kinds by which the etcds of shoots are scaled, and otherwise removes them.
	ScaleEtcds bool
	// Credentials are those of the gardenlet in the garden; nil if the gardenlet does not renew them.
	Credentials Credentials

	crds    *crdInstaller
	runtime *runtimecluster.Decision
}

// Reconcile brings the seed up to date. It is idempotent.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	before := &gardencorev1beta1.Seed{}
	if err := r.Garden.Get(ctx, request.NamespacedName, before); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	seed := before.DeepCopy()
	if seed.DeletionTimestamp != nil {
		return r.delete(ctx, seed)
	}
	if err := patch.Metadata(ctx, r.Garden, seed, func() { controllerutil.AddFinalizer(seed, constants.GardenerName) }); err != nil {
		return patch.AfterConflict(err) // other controllers write to the Seed, too
	}
	if err := r.begin(ctx, seed); err != nil {
		return reconcile.Result{}, err
	}
	before = seed.DeepCopy()
	err := r.reconcile(ctx, seed)
	if err != nil {
		r.condition(seed, gardencorev1beta1.SeedBootstrapped, conditions.False(reasonOf(err), err.Error()))
		r.operation(seed, gardencorev1beta1.LastOperationTypeReconcile, gardencorev1beta1.LastOperationStateError, 0, err.Error())
	}
	err = errors.Join(err, seedstatus.Patch(ctx, r.Garden, seed, before))
	if err := errors.Join(err, r.renewals(ctx, seed)); err != nil { // which may take a while, so they come last
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: r.SyncPeriod}, nil
}

// begin reports a new operation; a periodic reconciliation is not reported.
func (r *Reconciler) begin(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	last := seed.Status.LastOperation
	if last != nil && last.State == gardencorev1beta1.LastOperationStateSucceeded && seed.Status.ObservedGeneration == seed.Generation {
		return nil
	}
	before := seed.DeepCopy()
	r.operation(seed, gardencorev1beta1.LastOperationTypeReconcile, gardencorev1beta1.LastOperationStateProcessing, 0, "Reconciliation of Seed is in progress.")
	if conditions.Get(seed.Status.Conditions, gardencorev1beta1.SeedBootstrapped) == nil {
		r.condition(seed, gardencorev1beta1.SeedBootstrapped, conditions.Finding{
			Status: gardencorev1beta1.ConditionProgressing, Reason: reasonBootstrapping, Message: "Seed cluster is currently being bootstrapped.",
		})
	}
	seed.Status.Gardener, seed.Status.ObservedGeneration = &r.Identity, seed.Generation
	return seedstatus.Patch(ctx, r.Garden, seed, before)
}

func (r *Reconciler) reconcile(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	version, err := r.Discovery.ServerVersion()
	if err != nil {
		return fmt.Errorf("ask for the version of the seed: %w", err)
	}
	if err := supported(version.GitVersion); err != nil {
		return err
	}
	kubernetesVersion := strings.TrimPrefix(version.GitVersion, "v")
	garden, err := r.runtime.Garden(ctx)
	if err != nil {
		return err
	}
	if garden != "" && !r.RuntimeCluster {
		if err := runtimecluster.Mismatch(ctx, r.SeedClient, garden, r.Identity.Version); err != nil {
			return err
		}
	}
	if garden != "" && r.ResourceManager {
		r.Recorder.Eventf(seed, nil, corev1.EventTypeNormal, "LeftToOperator", "Reconcile",
			"The seed contains the Garden %q. Its operator owns the resource manager, and this gardenlet only creates what is missing of it.", garden)
	}
	var identity string
	graph, err := r.creation(seed, garden, &identity)
	if err != nil {
		return err
	}
	if err := graph.Run(ctx, flow.Options{Log: log.FromContext(ctx)}); err != nil {
		return err
	}
	status := &seed.Status
	status.Gardener, status.ObservedGeneration, status.KubernetesVersion = &r.Identity, seed.Generation, &kubernetesVersion
	if status.ClusterIdentity == nil {
		status.ClusterIdentity = &identity
	}
	status.ClientCertificateExpirationTimestamp = r.certificateEnd()
	if r.Resources.Capacity != nil {
		status.Capacity, status.Allocatable = r.Resources.Capacity, r.Resources.Allocatable()
	}
	r.condition(seed, gardencorev1beta1.SeedBootstrapped, conditions.True(reasonBootstrapped, "Seed cluster has been bootstrapped successfully."))
	r.condition(seed, gardencorev1beta1.SeedSystemComponentsHealthy, r.componentHealth(ctx, seed))
	r.operation(seed, gardencorev1beta1.LastOperationTypeReconcile, gardencorev1beta1.LastOperationStateSucceeded, 100, "Seed has been successfully reconciled.")
	return nil
}

// reasonOf is the reason of the condition for an error.
func reasonOf(err error) string {
	if mismatch := (*runtimecluster.MismatchError)(nil); errors.As(err, &mismatch) {
		return reasonVersionMismatch
	}
	return reasonBootstrapFailed
}

// oldest is the minimum version of Kubernetes of a seed.
const oldest = "1.17.0"

func supported(version string) error {
	parsed, err := utilversion.ParseGeneric(version)
	if err != nil {
		return fmt.Errorf("parse version of the seed: %w", err)
	}
	if parsed.LessThan(utilversion.MustParseGeneric(oldest)) {
		return fmt.Errorf("seed has Kubernetes %s, at least %s is needed", version, oldest)
	}
	return nil
}

func (r *Reconciler) delete(ctx context.Context, seed *gardencorev1beta1.Seed) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(seed, constants.GardenerName) {
		return reconcile.Result{}, nil
	}
	before := seed.DeepCopy()
	err := r.takeBack(ctx, seed)
	if err == nil {
		return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Garden, seed, func() {
			controllerutil.RemoveFinalizer(seed, constants.GardenerName)
		}))
	}
	r.Recorder.Eventf(seed, nil, corev1.EventTypeWarning, "DeleteError", "Delete", "%s", err)
	seed.Status.ObservedGeneration = seed.Generation
	r.operation(seed, gardencorev1beta1.LastOperationTypeDelete, gardencorev1beta1.LastOperationStateError, 0, err.Error())
	return reconcile.Result{RequeueAfter: deletionRetry}, seedstatus.Patch(ctx, r.Garden, seed, before)
}

func (r *Reconciler) takeBack(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	shoots, err := r.parts().inGarden.hosted(ctx, seed.Name)
	if err != nil {
		return err
	}
	if len(shoots) > 0 {
		return fmt.Errorf("seed cannot be deleted, it is still used by shoots: %s", strings.Join(shoots, ", "))
	}
	garden, err := r.runtime.Garden(ctx)
	if err != nil {
		return err
	}
	graph, err := r.deletion(seed, garden)
	if err != nil {
		return err
	}
	return graph.Run(ctx, flow.Options{Log: log.FromContext(ctx)})
}
