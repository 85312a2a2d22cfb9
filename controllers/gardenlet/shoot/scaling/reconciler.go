package scaling

import (
	"context"
	"errors"
	"fmt"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	vpav1 "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	autoscalingv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/autoscaling/v1alpha1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// owner is the field manager of changes by the controller.
const owner = client.FieldOwner("gardenlet-scaling")

// Reconciler scales the etcds of the shoots of one seed. All fields are required.
type Reconciler struct {
	// Garden reads Shoots from a cache.
	Garden client.Reader
	// Seed reads without a cache.
	Seed     client.Client
	Clock    clock.PassiveClock
	SeedName string
	// Period is the time between two looks at a shoot.
	Period time.Duration
}

// Reconcile scales the etcds of one shoot.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Garden.Get(ctx, request.NamespacedName, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	again := reconcile.Result{RequeueAfter: r.Period}
	if helper.ResponsibleSeed(shoot) != r.SeedName || !settled(shoot) {
		return again, nil
	}
	list := &autoscalingv1alpha1.HvpaList{}
	if err := r.Seed.List(ctx, list, client.InNamespace(shoot.Status.TechnicalID)); err != nil {
		if meta.IsNoMatchError(err) {
			return again, nil // the seed does not have the kind yet
		}
		return again, fmt.Errorf("list hvpas in namespace %q: %w", shoot.Status.TechnicalID, err)
	}
	var errs []error
	for i := range list.Items {
		errs = append(errs, r.follow(ctx, &list.Items[i]))
	}
	return again, errors.Join(errs...)
}

// settled reports whether the control plane runs and no operation is in progress, which may need each of its etcds.
func settled(shoot *gardencorev1beta1.Shoot) bool {
	last := shoot.Status.LastOperation
	if last == nil || shoot.Status.TechnicalID == "" || shoot.DeletionTimestamp != nil || shoot.Status.IsHibernated || helper.HibernationIsEnabled(shoot) {
		return false
	}
	return last.State == gardencorev1beta1.LastOperationStateSucceeded && last.Type != gardencorev1beta1.LastOperationTypeMigrate
}

// follow acts upon the recommendation for one etcd, as far as its Hvpa allows it.
func (r *Reconciler) follow(ctx context.Context, hvpa *autoscalingv1alpha1.Hvpa) error {
	target := hvpa.Spec.TargetRef
	if target == nil || target.Kind != "StatefulSet" {
		return nil
	}
	autoscaler, err := r.autoscaler(ctx, hvpa)
	if err != nil || autoscaler.Status.Recommendation == nil {
		return err
	}
	etcd := &druidv1alpha1.Etcd{}
	if err := r.Seed.Get(ctx, client.ObjectKey{Namespace: hvpa.Namespace, Name: target.Name}, etcd); err != nil {
		return client.IgnoreNotFound(err)
	}
	if etcd.DeletionTimestamp != nil || etcd.Annotations[constants.GardenerOperation] != "" {
		return nil
	}
	for _, recommendation := range autoscaler.Status.Recommendation.ContainerRecommendations {
		if recommendation.ContainerName == container {
			return r.scale(ctx, hvpa, etcd, recommendation.Target)
		}
	}
	return nil
}

// autoscaler returns the VerticalPodAutoscaler of an Hvpa, which only recommends. It is written if it is not as the Hvpa wants it.
func (r *Reconciler) autoscaler(ctx context.Context, hvpa *autoscalingv1alpha1.Hvpa) (*vpav1.VerticalPodAutoscaler, error) {
	template, off := hvpa.Spec.Vpa.Template, vpav1.UpdateModeOff
	wanted := &vpav1.VerticalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{
			Name: hvpa.Name, Namespace: hvpa.Namespace, Labels: template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(hvpa, autoscalingv1alpha1.SchemeGroupVersion.WithKind("Hvpa"))},
		},
		Spec: vpav1.VerticalPodAutoscalerSpec{
			TargetRef:      &autoscalingv1.CrossVersionObjectReference{APIVersion: hvpa.Spec.TargetRef.APIVersion, Kind: hvpa.Spec.TargetRef.Kind, Name: hvpa.Spec.TargetRef.Name},
			UpdatePolicy:   &vpav1.PodUpdatePolicy{UpdateMode: &off},
			ResourcePolicy: template.Spec.ResourcePolicy,
		},
	}
	found := &vpav1.VerticalPodAutoscaler{}
	err := r.Seed.Get(ctx, client.ObjectKeyFromObject(wanted), found)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read vertical pod autoscaler %q: %w", client.ObjectKeyFromObject(wanted), err)
	}
	if err == nil && same(wanted, found) {
		return found, nil
	}
	_, err = patch.Applier{Client: r.Seed, Owner: owner}.Apply(ctx, wanted)
	return found, err
}

// scale changes the requests of an etcd. The druid then restarts its members, one after the other.
func (r *Reconciler) scale(ctx context.Context, hvpa *autoscalingv1alpha1.Hvpa, etcd *druidv1alpha1.Etcd, recommended corev1.ResourceList) error {
	current := corev1.ResourceList{}
	if etcd.Spec.Etcd.Resources != nil {
		current = etcd.Spec.Etcd.Resources.Requests
	}
	now := metav1.NewTime(r.Clock.Now())
	next, blocked := Decide(hvpa, current, recommended, now.Time)
	if equal(current, next) {
		return r.report(ctx, hvpa, nil, reasons(blocked, recommended))
	}
	before := etcd.DeepCopy()
	if etcd.Spec.Etcd.Resources == nil {
		etcd.Spec.Etcd.Resources = &corev1.ResourceRequirements{}
	}
	etcd.Spec.Etcd.Resources.Requests = next
	metav1.SetMetaDataAnnotation(&etcd.ObjectMeta, constants.GardenerOperation, constants.GardenerOperationReconcile)
	if err := r.Seed.Patch(ctx, etcd, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), owner); err != nil {
		return fmt.Errorf("change requests of etcd %q: %w", client.ObjectKeyFromObject(etcd), err)
	}
	log.FromContext(ctx).Info("Changed the requests of an etcd", "etcd", client.ObjectKeyFromObject(etcd), "from", current, "to", next)
	return r.report(ctx, hvpa, &autoscalingv1alpha1.ScalingStatus{LastUpdated: &now, VpaStatus: requestsOf(next)}, reasons(blocked, recommended))
}

// report writes into the status what has been done, unless done is nil, and what is not done at present.
func (r *Reconciler) report(ctx context.Context, hvpa *autoscalingv1alpha1.Hvpa, done *autoscalingv1alpha1.ScalingStatus, blocked []autoscalingv1alpha1.BlockedScaling) error {
	before := hvpa.DeepCopy()
	if done != nil {
		hvpa.Status.LastScaling = done
	}
	hvpa.Status.LastBlockedScaling = blocked
	return patch.Status(ctx, r.Seed, hvpa, before)
}
