package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/machine/container"
)

// retry is the pause after a failure. The machine's report contains the failure.
const retry = 5 * time.Second

// Reconciler carries out one order.
type Reconciler struct {
	Config
	// Client writes reports and finalizers; Reader reads orders from the API server.
	Client client.Client
	Reader client.Reader

	binary sync.Once
	digest string // of Binary
	failed error  // to make the digest
}

// memory is what the agent stores in the report about the container it belongs to.
type memory struct {
	// Booted means that the machine was told to boot. From then on its system does the rest, also after a restart of
	// the container.
	Booted bool `json:"booted,omitempty"`
	// Binary is the digest of the machine's copy of this program.
	Binary string `json:"binary,omitempty"`
	// Hosts is the address that the names of API servers map to. StartedAt is the start of the container at which it
	// was written: each start resets /etc/hosts.
	Hosts     string `json:"hosts,omitempty"`
	StartedAt string `json:"startedAt,omitempty"`
}

// Reconcile carries out one order: it compares the order with its container.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	secret := &corev1.Secret{}
	if err := r.Reader.Get(ctx, request.NamespacedName, secret); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if secret.Labels[container.Label] != container.LabelValue {
		return reconcile.Result{}, nil
	}
	order, err := container.OrderOf(secret)
	if err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	if secret.DeletionTimestamp != nil {
		return r.remove(ctx, secret, order)
	}
	s := &scope{order: order, secret: secret, report: container.ReportOf(secret)}
	_ = json.Unmarshal(s.report.Memory, &s.memory) // an unreadable memory counts as a container that never booted
	err = r.ensure(ctx, s)
	s.report.Message = ""
	if err != nil {
		s.report.Message = err.Error()
	}
	if saveErr := r.save(ctx, s); saveErr != nil {
		return reconcile.Result{}, errors.Join(err, saveErr)
	}
	if err != nil {
		r.Log.Error(err, "Could not make machine", "machine", request.NamespacedName)
		return reconcile.Result{RequeueAfter: retry}, nil
	}
	return reconcile.Result{}, nil
}

// scope is one order and everything found out about it.
type scope struct {
	order  container.Order
	secret *corev1.Secret
	report container.Report
	memory memory
	// existed means that the container is older than the report about it: another seed has made it, or the report was lost.
	existed bool
}

// ensure brings the machine to its desired state, and reports how far it got.
func (r *Reconciler) ensure(ctx context.Context, s *scope) error {
	found, err := r.find(ctx, s)
	if err != nil || s.report.State == container.Gone {
		return err
	}
	if s.report.ContainerID != found.ID {
		s.report.Container, s.report.ContainerID, s.memory = found.Name, found.ID, memory{}
		s.report.State = container.Making
		if err := r.save(ctx, s); err != nil { // so that it is missed when it is gone
			return err
		}
	}
	if found, err = r.started(ctx, s, found); err != nil || !found.Running {
		return err
	}
	s.report.IP = found.IP(r.Network)
	if err := r.hosts(ctx, s, found); err != nil {
		return err
	}
	if err := r.boot(ctx, s, found); err != nil {
		return err
	}
	s.report.State = container.Running
	return nil
}

// find returns the container, and creates it if there never was one. A container that vanished is not created again:
// its node is lost, and the machine controller replaces the machine.
func (r *Reconciler) find(ctx context.Context, s *scope) (containers.Container, error) {
	spec := r.spec(s.order)
	found, err := r.Engine.Inspect(ctx, spec.Name)
	if errors.Is(err, containers.ErrNotFound) && s.report.ContainerID == "" {
		if err := r.allowed(s.order); err != nil {
			return found, err
		}
		r.Log.Info("Making container of machine", "machine", s.order.Machine, "container", spec.Name, "image", spec.Image)
		s.report.State = container.Making
		if err := r.Inventory.Add(InventoryKind, spec.Name); err != nil {
			return found, fmt.Errorf("note container %s in the inventory: %w", spec.Name, err)
		}
		if err := r.Engine.Run(ctx, spec); err != nil {
			return found, err
		}
		return r.Engine.Inspect(ctx, spec.Name)
	}
	if errors.Is(err, containers.ErrNotFound) {
		s.report.State, s.report.IP = container.Gone, ""
		return found, nil
	}
	if err != nil {
		return found, err
	}
	if !r.belongs(found, s.order) {
		return found, fmt.Errorf("container %s was not made for machine %s", found.Name, s.order.Machine)
	}
	s.existed = s.report.ContainerID == ""
	return found, r.hold(ctx, s, found)
}

// shootPrefix begins the names of namespaces of shoots.
const shootPrefix = "shoot--"

// allowed reports why no container is made for an order. Whoever may write Secrets in the seed can write orders if the
// policy of orders is not in force.
func (r *Reconciler) allowed(order container.Order) error {
	switch {
	case !strings.HasPrefix(order.Namespace, shootPrefix):
		return fmt.Errorf("machines are not made for namespace %s, which belongs to no shoot", order.Namespace)
	case !slices.Contains(r.Images, order.Image):
		return fmt.Errorf("machines are not made of image %s, which the configuration does not name", order.Image)
	}
	return nil
}

// started starts a stopped container if it never finished booting, or if the machine controller requests it.
func (r *Reconciler) started(ctx context.Context, s *scope, found containers.Container) (containers.Container, error) {
	wanted := s.secret.Annotations[container.StartAnnotation]
	asked := wanted != s.report.Start
	if !found.Running && s.memory.Booted && !asked {
		s.report.State = container.Stopped
		return found, nil
	}
	if !found.Running {
		r.Log.Info("Starting container of machine", "machine", s.order.Machine, "container", found.Name, "exitCode", found.ExitCode)
		if err := r.Engine.Start(ctx, found.Name); err != nil {
			return found, err
		}
		var err error
		if found, err = r.Engine.Inspect(ctx, found.Name); err != nil {
			return found, err
		}
		if !found.Running {
			return found, fmt.Errorf("container %s ended right after its start with exit code %d", found.Name, found.ExitCode)
		}
	}
	s.report.Start = wanted
	return found, nil
}

// remove removes the container and then the finalizer of the order.
func (r *Reconciler) remove(ctx context.Context, secret *corev1.Secret, order container.Order) (reconcile.Result, error) {
	if !slices.Contains(secret.Finalizers, container.Finalizer) {
		return reconcile.Result{}, nil
	}
	name := Name(r.Landscape, order.Namespace, order.Machine)
	found, err := r.Engine.Inspect(ctx, name)
	if err != nil && !errors.Is(err, containers.ErrNotFound) {
		return reconcile.Result{}, err
	}
	if err == nil {
		err = r.part(ctx, secret, order, found)
	} else {
		err = r.dispose(ctx, name) // it may have been noted
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, client.IgnoreNotFound(r.patch(ctx, client.ObjectKeyFromObject(secret), func(latest *corev1.Secret) {
		latest.Finalizers = slices.DeleteFunc(latest.Finalizers, func(f string) bool { return f == container.Finalizer })
	}))
}

// part removes the container of an order that is being deleted. It releases the container if the shoot moves, and leaves those of others alone.
func (r *Reconciler) part(ctx context.Context, secret *corev1.Secret, order container.Order, found containers.Container) error {
	holder, err := r.holder(found)
	switch {
	case err != nil:
		return err
	case !r.belongs(found, order) || holder != r.Seed:
		return nil
	case container.Released(secret):
		return r.release(found.Name)
	}
	return r.dispose(ctx, found.Name)
}

// dispose removes a container and its volumes, and forgets it in the inventory.
func (r *Reconciler) dispose(ctx context.Context, name string) error {
	r.Log.Info("Removing container of machine", "container", name)
	if err := r.Engine.Remove(ctx, name); err != nil {
		return err
	}
	if err := r.Inventory.Remove(InventoryKind, name); err != nil {
		return fmt.Errorf("forget container %s in the inventory: %w", name, err)
	}
	return nil
}

// save writes the report if it has changed.
func (r *Reconciler) save(ctx context.Context, s *scope) error {
	remembered, err := json.Marshal(s.memory)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	s.report.Memory = remembered
	text := s.report.Encode()
	if s.secret.Annotations[container.ReportAnnotation] == text {
		return nil
	}
	err = r.patch(ctx, client.ObjectKeyFromObject(s.secret), func(latest *corev1.Secret) {
		if latest.Annotations == nil {
			latest.Annotations = map[string]string{}
		}
		latest.Annotations[container.ReportAnnotation] = text
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("write report of machine %s: %w", s.order.Machine, err)
	}
	return nil
}

// patch changes the metadata of the current version of an order.
func (r *Reconciler) patch(ctx context.Context, key types.NamespacedName, change func(*corev1.Secret)) error {
	latest := &corev1.Secret{}
	if err := r.Reader.Get(ctx, key, latest); err != nil {
		return err
	}
	before := latest.DeepCopy()
	change(latest)
	return r.Client.Patch(ctx, latest, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
