package watchdog

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// owner is the field manager of changes by the watchdog.
const owner = client.FieldOwner("gardenlet-watchdog")

// Reconciler looks after the control planes of one seed. All fields are required.
type Reconciler struct {
	// Garden reads Shoots and Seeds from a cache.
	Garden client.Reader
	// Seed reads without a cache.
	Seed     client.Client
	Leases   LeaseReader
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	SeedName string
	// Period is the time between two looks at a control plane.
	Period time.Duration

	lock sync.Mutex
	cut  map[types.NamespacedName]int // how often in a row the nodes of a shoot were found cut off
}

// Reconcile looks after one control plane.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	shoot, seed := &gardencorev1beta1.Shoot{}, &gardencorev1beta1.Seed{}
	if err := r.Garden.Get(ctx, request.NamespacedName, shoot); err != nil {
		r.count(request.NamespacedName, false)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: r.SeedName}, seed); err != nil {
		return reconcile.Result{}, fmt.Errorf("read seed %q: %w", r.SeedName, err)
	}
	again := reconcile.Result{RequeueAfter: r.Period}
	if helper.ResponsibleSeed(shoot) != r.SeedName {
		r.count(request.NamespacedName, false)
		return reconcile.Result{}, nil // until the Shoot changes again
	}
	if !runs(shoot) {
		r.count(request.NamespacedName, false)
		return again, nil
	}
	deployments, err := r.deployments(ctx, shoot.Status.TechnicalID)
	if err != nil {
		return again, err
	}
	if weeding(seed) {
		if err := r.weed(ctx, shoot, deployments); err != nil {
			return again, err
		}
	}
	if !probing(seed) || helper.IsWorkerless(shoot) {
		return again, r.scale(ctx, shoot, starts(deployments))
	}
	return again, r.probe(ctx, shoot, deployments)
}

// runs reports whether the control plane is there to stay, and awake. Flows that make, move or delete it know what they stop.
func runs(shoot *gardencorev1beta1.Shoot) bool {
	last := shoot.Status.LastOperation
	if last == nil || shoot.Status.TechnicalID == "" || shoot.DeletionTimestamp != nil || shoot.Status.IsHibernated || helper.HibernationIsEnabled(shoot) {
		return false
	}
	return last.Type == gardencorev1beta1.LastOperationTypeReconcile || last.State == gardencorev1beta1.LastOperationStateSucceeded
}

func weeding(seed *gardencorev1beta1.Seed) bool {
	s := seed.Spec.Settings
	return s == nil || s.DependencyWatchdog == nil || s.DependencyWatchdog.Weeder == nil || s.DependencyWatchdog.Weeder.Enabled
}

func probing(seed *gardencorev1beta1.Seed) bool {
	s := seed.Spec.Settings
	return s == nil || s.DependencyWatchdog == nil || s.DependencyWatchdog.Prober == nil || s.DependencyWatchdog.Prober.Enabled
}

// deployments are those of a control plane by name. A list from the cache of the API server costs little.
func (r *Reconciler) deployments(ctx context.Context, namespace string) (map[string]*appsv1.Deployment, error) {
	list := &appsv1.DeploymentList{}
	if err := r.Seed.List(ctx, list, client.InNamespace(namespace), controlPlane, fromCache()); err != nil {
		return nil, fmt.Errorf("list deployments in namespace %q: %w", namespace, err)
	}
	out := map[string]*appsv1.Deployment{}
	for i := range list.Items {
		out[list.Items[i].Name] = &list.Items[i]
	}
	return out, nil
}

var controlPlane = client.MatchingLabels{constants.GardenRole: constants.GardenRoleControlPlane}

// fromCache makes the API server answer from its cache. Each list needs an option of its own: the client writes the selector of the list
// into it.
func fromCache() *client.ListOptions {
	return &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: "0"}}
}

// weed deletes pods that need not wait any more. Their Deployments make new ones, which start at once.
func (r *Reconciler) weed(ctx context.Context, shoot *gardencorev1beta1.Shoot, deployments map[string]*appsv1.Deployment) error {
	if !anyUnavailable(deployments) {
		return nil
	}
	pods := &corev1.PodList{}
	if err := r.Seed.List(ctx, pods, client.InNamespace(shoot.Status.TechnicalID), controlPlane, fromCache()); err != nil {
		return fmt.Errorf("list pods in namespace %q: %w", shoot.Status.TechnicalID, err)
	}
	for _, pod := range weeds(pods.Items) {
		log.FromContext(ctx).Info("Deleting a pod that waits for something that is back", "shoot", client.ObjectKeyFromObject(shoot), "pod", pod.Name)
		if err := r.Seed.Delete(ctx, pod, client.Preconditions{UID: &pod.UID}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete pod %q: %w", client.ObjectKeyFromObject(pod), err)
		}
	}
	return nil
}

func anyUnavailable(deployments map[string]*appsv1.Deployment) bool {
	for _, deployment := range deployments {
		if deployment.Status.UnavailableReplicas > 0 {
			return true
		}
	}
	return false
}

// probe stops controllers if the API server serves but most kubelets do not reach it, and starts them again afterwards. If the API
// server does not serve at all, its clients do no harm.
func (r *Reconciler) probe(ctx context.Context, shoot *gardencorev1beta1.Shoot, deployments map[string]*appsv1.Deployment) error {
	leases, err := r.Leases(ctx, shoot.Status.TechnicalID)
	if err != nil {
		r.count(client.ObjectKeyFromObject(shoot), false) // kubelets need some seconds after it is back
		log.FromContext(ctx).V(1).Info("The API server of a shoot cannot be asked for leases", "shoot", client.ObjectKeyFromObject(shoot), "reason", err.Error())
		return nil
	}
	nodes, err := r.nodes(ctx, shoot.Status.TechnicalID)
	if err != nil {
		return err
	}
	off := cutOff(only(leases, nodes), r.Clock.Now())
	switch times := r.count(client.ObjectKeyFromObject(shoot), off); {
	case !off:
		return r.scale(ctx, shoot, starts(deployments))
	case times >= failures:
		return r.scale(ctx, shoot, stops(deployments))
	}
	return nil
}

// count counts how often in a row the nodes of a shoot were cut off.
func (r *Reconciler) count(shoot types.NamespacedName, off bool) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	if !off {
		delete(r.cut, shoot)
		return 0
	}
	if r.cut == nil {
		r.cut = map[types.NamespacedName]int{}
	}
	r.cut[shoot]++
	return r.cut[shoot]
}

func (r *Reconciler) scale(ctx context.Context, shoot *gardencorev1beta1.Shoot, changes []scaling) error {
	for _, change := range changes {
		var former any
		if change.former != nil {
			former = strconv.Itoa(int(*change.former))
		}
		patch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{Replicas: former}}}
		if change.replicas != nil {
			patch["spec"] = map[string]any{"replicas": *change.replicas}
		}
		raw, err := json.Marshal(patch)
		if err != nil {
			return err
		}
		deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: change.name, Namespace: shoot.Status.TechnicalID}}
		if err := r.Seed.Patch(ctx, deployment, client.RawPatch(types.MergePatchType, raw), owner); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("scale deployment %q: %w", client.ObjectKeyFromObject(deployment), err)
		}
		if change.replicas != nil {
			r.report(ctx, shoot, change)
		}
	}
	return nil
}

func (r *Reconciler) report(ctx context.Context, shoot *gardencorev1beta1.Shoot, change scaling) {
	log.FromContext(ctx).Info("Scaled a deployment of a control plane", "shoot", client.ObjectKeyFromObject(shoot), "deployment", change.name, "replicas", *change.replicas)
	if *change.replicas == 0 {
		r.Recorder.Eventf(shoot, nil, corev1.EventTypeWarning, "DependencyWatchdogStopped", "Stop", "%s is stopped: most nodes have not renewed their leases, so their kubelets do not reach the API server", change.name)
		return
	}
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeNormal, "DependencyWatchdogStarted", "Start", "%s runs again: the nodes renew their leases", change.name)
}

// nodes are the names of the nodes whose machines are to stay. The seed knows them, where users of the shoot cannot write. A machine that
// goes takes its node with it, as soon as machine-controller-manager runs: it must not keep that from running.
func (r *Reconciler) nodes(ctx context.Context, namespace string) (sets.Set[string], error) {
	list := &machinev1alpha1.MachineList{}
	if err := r.Seed.List(ctx, list, client.InNamespace(namespace), fromCache()); err != nil {
		return nil, fmt.Errorf("list machines in namespace %q: %w", namespace, err)
	}
	out := sets.New[string]()
	for i := range list.Items {
		if machine := &list.Items[i]; stays(machine) {
			out.Insert(machine.Labels[machinev1alpha1.NodeLabelKey])
		}
	}
	return out, nil
}
