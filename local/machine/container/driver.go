package container

import (
	"context"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/machine/name"
	"github.com/gardener-up/gardener-up/providers/contract/machine"
)

const (
	// interval and timeout bound waiting for the host. Making a container takes a few seconds. If it takes longer, the
	// machine controller tries again.
	interval = 250 * time.Millisecond
	timeout  = 20 * time.Second
)

// Driver writes orders for containers.
type Driver struct {
	// Client of the control cluster, the seed. It reads secrets without a cache.
	Client client.Client
}

var _ machine.Driver = &Driver{}

// Create implements machine.Driver.
func (d *Driver) Create(ctx context.Context, request machine.Request) (machine.Instance, error) {
	spec := api.MachineSpec{}
	if err := api.Decode(&runtime.RawExtension{Raw: request.Class.ProviderSpec.Raw}, &spec); err != nil {
		return machine.Instance{}, machine.Errorf(machine.InvalidArgument, "read class %s: %w", request.Class.Name, err)
	}
	order := Order{
		Namespace: request.Machine.Namespace, Machine: request.Machine.Name, Class: request.Class.Name,
		Node: name.OfNode(request.Machine.Name), ProviderID: name.ProviderID(request.Machine.Namespace, request.Machine.Name),
		Image: spec.NodeImage, UserData: request.Secret[machine.UserDataKey],
	}
	if len(order.UserData) == 0 || order.Image == "" {
		return machine.Instance{}, machine.Errorf(machine.InvalidArgument, "class %s has no user data or no node image", request.Class.Name)
	}
	if err := d.Client.Create(ctx, order.Secret()); err != nil && !apierrors.IsAlreadyExists(err) {
		return machine.Instance{}, machine.Errorf(CodeOf(err), "order %s: %w", request.Machine.Name, err)
	}
	return d.await(ctx, request.Machine, func(r Report) bool { return r.State == Running })
}

// Start implements machine.Driver.
func (d *Driver) Start(ctx context.Context, request machine.Request) error {
	order, err := d.read(ctx, request.Machine)
	if err != nil {
		return err
	}
	if ReportOf(order).State != Stopped {
		return nil
	}
	wanted := order.Annotations[StartAnnotation]
	if wanted == "" || wanted == ReportOf(order).Start { // otherwise an earlier call has already requested it
		before := order.DeepCopy()
		wanted = strconv.FormatInt(time.Now().UnixNano(), 36)
		order.Annotations[StartAnnotation] = wanted
		if err := d.Client.Patch(ctx, order, client.MergeFrom(before)); err != nil {
			return machine.Errorf(CodeOf(err), "ask for the start of %s: %w", request.Machine.Name, err)
		}
	}
	_, err = d.await(ctx, request.Machine, func(r Report) bool { return r.Start == wanted && r.State == Running })
	return err
}

// Status implements machine.Driver. A machine whose container is gone no longer exists, even if its order does.
func (d *Driver) Status(ctx context.Context, request machine.Request) (machine.Instance, error) {
	order, err := d.read(ctx, request.Machine)
	if err != nil {
		return machine.Instance{}, err
	}
	return instance(request.Machine, ReportOf(order))
}

// Delete implements machine.Driver.
func (d *Driver) Delete(ctx context.Context, request machine.Request) error {
	order := &corev1.Secret{}
	order.Namespace, order.Name = Key(request.Machine.Namespace, request.Machine.Name)
	if err := d.Client.Delete(ctx, order); apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return machine.Errorf(CodeOf(err), "withdraw the order of %s: %w", request.Machine.Name, err)
	}
	last := Report{}
	err := wait.PollUntilContextTimeout(ctx, interval, timeout, true, func(ctx context.Context) (bool, error) {
		err := d.Client.Get(ctx, client.ObjectKeyFromObject(order), order)
		last = ReportOf(order)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		return machine.Errorf(machine.Unavailable, "the container of %s is being removed%s: %w", request.Machine.Name, said(last), err)
	}
	return nil
}

// List implements machine.Driver.
func (d *Driver) List(ctx context.Context, request machine.Request) (map[string]string, error) {
	orders := &corev1.SecretList{}
	if err := d.Client.List(ctx, orders, client.InNamespace(request.Class.Namespace), client.MatchingLabels{Label: LabelValue}); err != nil {
		return nil, machine.Errorf(CodeOf(err), "list orders of class %s: %w", request.Class.Name, err)
	}
	machines := map[string]string{}
	for i := range orders.Items {
		if order, err := OrderOf(&orders.Items[i]); err == nil && order.Class == request.Class.Name {
			machines[order.ProviderID] = order.Machine
		}
	}
	return machines, nil
}

// read returns the order of a Machine.
func (d *Driver) read(ctx context.Context, m *machinev1alpha1.Machine) (*corev1.Secret, error) {
	order := &corev1.Secret{}
	order.Namespace, order.Name = Key(m.Namespace, m.Name)
	if err := d.Client.Get(ctx, client.ObjectKeyFromObject(order), order); apierrors.IsNotFound(err) {
		return nil, machine.Errorf(machine.NotFound, "machine %s has not been ordered", m.Name)
	} else if err != nil {
		return nil, machine.Errorf(CodeOf(err), "read the order of %s: %w", m.Name, err)
	}
	return order, nil
}

// await waits a short time for the host.
func (d *Driver) await(ctx context.Context, m *machinev1alpha1.Machine, done func(Report) bool) (machine.Instance, error) {
	last := Report{}
	err := wait.PollUntilContextTimeout(ctx, interval, timeout, true, func(ctx context.Context) (bool, error) {
		order, err := d.read(ctx, m)
		if machine.CodeOf(err) == machine.Unavailable {
			return false, nil // tried again until the time is over
		}
		if err != nil {
			return false, err
		}
		if last = ReportOf(order); last.State == Gone || order.DeletionTimestamp != nil {
			return false, machine.Errorf(machine.Unavailable, "the container of machine %s is gone", m.Name)
		}
		return done(last), nil
	})
	switch {
	case err == nil:
		return instance(m, last)
	case wait.Interrupted(err):
		return machine.Instance{}, machine.Errorf(machine.Unavailable, "the container of machine %s is being made%s", m.Name, said(last))
	}
	return machine.Instance{}, err
}

// instance makes the machine from its report.
func instance(m *machinev1alpha1.Machine, report Report) (machine.Instance, error) {
	if report.State == Gone {
		return machine.Instance{}, machine.Errorf(machine.NotFound, "the container of machine %s is gone", m.Name)
	}
	node := name.OfNode(m.Name)
	out := machine.Instance{
		ProviderID: name.ProviderID(m.Namespace, m.Name), NodeName: node, Stopped: report.State == Stopped,
		Addresses: []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: node}},
	}
	if report.IP != "" {
		out.Addresses = append(out.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: report.IP})
	}
	return out, nil
}

// said is the host's last error, as part of a message.
func said(report Report) string {
	if report.Message == "" {
		return ""
	}
	return ": " + report.Message
}

// CodeOf returns the code of an API server's error for the machine controller.
func CodeOf(err error) machine.Code {
	switch {
	case apierrors.IsForbidden(err):
		return machine.PermissionDenied
	case apierrors.IsUnauthorized(err):
		return machine.Unauthenticated
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return machine.InvalidArgument
	}
	return machine.Unavailable
}
