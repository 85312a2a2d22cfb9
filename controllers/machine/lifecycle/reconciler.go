package lifecycle

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// Reconciler reconciles one Machine.
type Reconciler struct {
	// Client reads Machines and MachineClasses of the control cluster from a cache.
	Client client.Client
	// Reader reads secrets, and machines that are being updated, of the control cluster from the API server.
	Reader client.Reader
	// Target reads Nodes of the target cluster from a cache.
	Target client.Client
	// TargetCache is the cache of Target. Changes of Nodes wake their Machines.
	TargetCache cache.Cache
	// TargetReader reads pods, and nodes that are being updated, of the target cluster from the API server.
	TargetReader client.Reader
	// Driver makes the machines.
	Driver contractmachine.Driver
	// Namespace of the machines.
	Namespace string
	// Settings hold for machines that do not override them.
	Settings Settings
	// Frozen reports whether machines must stay as they are, apart from deletions.
	Frozen func(ctx context.Context) bool
	// Clock for timeouts and for the times in the status.
	Clock clock.PassiveClock

	// seen contains the UIDs of machines that this process has seen running at the driver.
	seen sync.Map
}

// Settings are the settings that a machine's spec may override.
type Settings struct {
	// Creation is how long a machine may take to become a ready node.
	Creation time.Duration
	// Health is how long a node may be unhealthy before its machine fails.
	Health time.Duration
	// Drain is how long draining a node may take.
	Drain time.Duration
	// InPlaceUpdate is how long an update in place may take after draining.
	InPlaceUpdate time.Duration
	// Retry is the pause after a driver's error that may pass by itself.
	Retry time.Duration
	// NodeConditions make a node unhealthy when they are True.
	NodeConditions []string
}

// Reconcile takes the next step in the machine's life.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	machine := &machinev1alpha1.Machine{}
	if err := r.Client.Get(ctx, req.NamespacedName, machine); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if machine.DeletionTimestamp != nil {
		return r.delete(ctx, machine)
	}
	if r.Frozen(ctx) {
		return reconcile.Result{RequeueAfter: r.Settings.Retry}, nil
	}
	err := patch.Metadata(ctx, r.Client, machine, func() {
		controllerutil.AddFinalizer(machine, machinev1alpha1.FinalizerName)
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	if machine.Status.CurrentStatus.Phase == machinev1alpha1.MachineFailed {
		return reconcile.Result{}, nil // its set removes it
	}
	if machine.Spec.ProviderID == "" || machine.Labels[machinev1alpha1.NodeLabelKey] == "" {
		return r.create(ctx, machine)
	}
	return r.watch(ctx, machine)
}

// node returns the machine's node, nil if there is none.
func (r *Reconciler) node(ctx context.Context, machine *machinev1alpha1.Machine) (*corev1.Node, error) {
	name := machine.Labels[machinev1alpha1.NodeLabelKey]
	if name == "" {
		return nil, nil
	}
	node := &corev1.Node{}
	err := r.Target.Get(ctx, types.NamespacedName{Name: name}, node)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read node %q: %w", name, err)
	}
	return node, nil
}

// request collects the driver's input.
func (r *Reconciler) request(ctx context.Context, machine *machinev1alpha1.Machine) (contractmachine.Request, error) {
	return Request(ctx, r.Client, r.Reader, machine, types.NamespacedName{Namespace: machine.Namespace, Name: machine.Spec.Class.Name})
}

// Request collects the driver's input for a class and a machine, which may be nil.
func Request(ctx context.Context, c client.Client, secrets client.Reader, machine *machinev1alpha1.Machine, name types.NamespacedName) (contractmachine.Request, error) {
	class := &machinev1alpha1.MachineClass{}
	if err := c.Get(ctx, name, class); err != nil {
		return contractmachine.Request{}, contractmachine.Errorf(codeOf(err), "read MachineClass %q: %w", name.Name, err)
	}
	request := contractmachine.Request{Machine: machine, Class: class, Secret: map[string][]byte{}}
	// The user data overrides a credential with the same key.
	for _, ref := range []*corev1.SecretReference{class.CredentialsSecretRef, class.SecretRef} {
		if ref == nil {
			continue
		}
		secret := &corev1.Secret{}
		if err := secrets.Get(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
			return contractmachine.Request{}, contractmachine.Errorf(codeOf(err), "read secret of MachineClass %q: %w", name.Name, err)
		}
		for key, value := range secret.Data {
			request.Secret[key] = value
		}
	}
	return request, nil
}

// codeOf distinguishes missing input from an API server that does not answer.
func codeOf(err error) contractmachine.Code {
	if apierrors.IsNotFound(err) {
		return contractmachine.InvalidArgument
	}
	return contractmachine.Unavailable
}
