// Package shoot chooses seeds for Shoots. Filters exclude seeds, the strategy prefers some of the others, and the one
// with the fewest shoots among these is chosen. The choice is written through the binding subresource. It is never changed afterwards.
package shoot

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/scheduler/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	action           = "Schedule"
	defaultScheduler = "default-scheduler"
)

// Reconciler handles Shoots without a seed. Exported fields are required.
type Reconciler struct {
	Client   client.Client
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	Strategy config.Strategy

	mutex   sync.Mutex
	assumed map[types.UID]string // recent choices that the cache does not show yet
}

// Reconcile chooses a seed for one Shoot. If there is none, it reports the reason and returns an error, so that the
// Shoot is retried with growing intervals.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Client.Get(ctx, request.NamespacedName, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !needsSeed(shoot) {
		return reconcile.Result{}, nil
	}
	shoot = shoot.DeepCopy()
	seed, err := r.schedule(ctx, shoot)
	if err != nil {
		return reconcile.Result{}, errors.Join(err, r.reportFailure(ctx, shoot, err))
	}
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeNormal, gardencorev1beta1.EventSchedulingSuccessful, action, "Scheduled to seed '%s'", seed)
	return reconcile.Result{}, nil
}

func needsSeed(shoot *gardencorev1beta1.Shoot) bool {
	ours := shoot.Spec.SchedulerName == nil || *shoot.Spec.SchedulerName == "" || *shoot.Spec.SchedulerName == defaultScheduler
	return ours && shoot.Spec.SeedName == nil && shoot.DeletionTimestamp == nil
}

// schedule decides and binds under one lock, so that two shoots cannot take the same free place.
func (r *Reconciler) schedule(ctx context.Context, shoot *gardencorev1beta1.Shoot) (string, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	profile, err := r.cloudProfile(ctx, shoot)
	if err != nil {
		return "", err
	}
	hosted, err := r.hosted(ctx)
	if err != nil {
		return "", err
	}
	seeds := &gardencorev1beta1.SeedList{}
	if err := r.Client.List(ctx, seeds); err != nil {
		return "", fmt.Errorf("list seeds: %w", err)
	}
	seed, err := Choose(&Request{Shoot: shoot, Profile: profile, Hosted: hosted, Strategy: r.Strategy}, seeds.Items)
	if err != nil {
		return "", err
	}
	bound := shoot.DeepCopy()
	bound.Spec.SeedName = &seed.Name
	if err := r.Client.SubResource("binding").Update(ctx, bound); err != nil {
		return "", fmt.Errorf("bind to seed %q: %w", seed.Name, err)
	}
	r.assumed[shoot.UID] = seed.Name
	return seed.Name, nil
}

// hosted counts the shoots of every seed, and forgets recent choices that the cache confirms.
func (r *Reconciler) hosted(ctx context.Context) (map[string]int, error) {
	shoots := &gardencorev1beta1.ShootList{}
	if err := r.Client.List(ctx, shoots); err != nil {
		return nil, fmt.Errorf("list shoots: %w", err)
	}
	hosted, assumed := map[string]int{}, map[types.UID]string{}
	for i := range shoots.Items {
		shoot := &shoots.Items[i]
		if shoot.Spec.SeedName != nil {
			hosted[*shoot.Spec.SeedName]++
		} else if seed, found := r.assumed[shoot.UID]; found {
			assumed[shoot.UID] = seed
			hosted[seed]++
		}
	}
	r.assumed = assumed
	return hosted, nil
}

func (r *Reconciler) cloudProfile(ctx context.Context, shoot *gardencorev1beta1.Shoot) (*gardencorev1beta1.CloudProfile, error) {
	profile := &gardencorev1beta1.CloudProfile{}
	name := ""
	switch ref := shoot.Spec.CloudProfile; {
	case ref != nil && ref.Kind == "NamespacedCloudProfile":
		namespaced := &gardencorev1beta1.NamespacedCloudProfile{}
		if err := r.Client.Get(ctx, types.NamespacedName{Namespace: shoot.Namespace, Name: ref.Name}, namespaced); err != nil {
			return nil, fmt.Errorf("read namespaced cloud profile %q: %w", ref.Name, err)
		}
		name = namespaced.Spec.Parent.Name
	case ref != nil:
		name = ref.Name
	case shoot.Spec.CloudProfileName != nil:
		name = *shoot.Spec.CloudProfileName
	}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: name}, profile); err != nil {
		return nil, fmt.Errorf("read cloud profile %q: %w", name, err)
	}
	return profile, nil
}

// reportFailure reports each reason only once to the user.
func (r *Reconciler) reportFailure(ctx context.Context, shoot *gardencorev1beta1.Shoot, cause error) error {
	description := "Failed to schedule Shoot: " + cause.Error()
	if last := shoot.Status.LastOperation; last != nil && last.Description == description {
		return nil
	}
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeWarning, gardencorev1beta1.EventSchedulingFailed, action, "%s", description)
	before := shoot.DeepCopy()
	shoot.Status.LastOperation = &gardencorev1beta1.LastOperation{
		Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStatePending,
		Description: description, LastUpdateTime: metav1.NewTime(r.Clock.Now()),
	}
	return patch.Status(ctx, r.Client, shoot, before)
}
