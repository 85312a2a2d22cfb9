package machine

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/local/machine/name"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/contract/machine"
)

const (
	// goneInterval and goneTimeout bound waiting for a pod that is being deleted.
	goneInterval = 200 * time.Millisecond
	goneTimeout  = time.Minute
)

// Driver makes pods in the namespace of the Machine.
type Driver struct {
	// Client of the control cluster, the seed. It reads without a cache, or with one of the namespace's pods.
	Client client.Client
	// Image is the image of pods whose class names none: the appliance image.
	Image string
}

var _ machine.Driver = &Driver{}

// Create implements machine.Driver.
func (d *Driver) Create(ctx context.Context, request machine.Request) (machine.Instance, error) {
	pod := &corev1.Pod{}
	err := d.Client.Get(ctx, key(request.Machine), pod)
	if err == nil && pod.DeletionTimestamp == nil {
		return instance(pod, request.Machine), nil
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return machine.Instance{}, machine.Errorf(machine.Unavailable, "read pod of %s: %w", describe(request.Machine), err)
	}
	if err == nil {
		return machine.Instance{}, machine.Errorf(machine.Unavailable, "a former pod of %s is still being deleted", describe(request.Machine))
	}
	spec := api.MachineSpec{Image: d.Image}
	if err := api.Decode(&runtime.RawExtension{Raw: request.Class.ProviderSpec.Raw}, &spec); err != nil {
		return machine.Instance{}, machine.Errorf(machine.InvalidArgument, "read class %s: %w", request.Class.Name, err)
	}
	userData := request.Secret[machine.UserDataKey]
	if len(userData) == 0 {
		return machine.Instance{}, machine.Errorf(machine.InvalidArgument, "class %s has no user data", request.Class.Name)
	}
	if err := d.writeSecret(ctx, newSecret(request.Machine, request.Class.Name, userData)); err != nil {
		return machine.Instance{}, err
	}
	pod = newPod(request.Machine, request.Class.Name, spec.Image, spec.Signature)
	if err := d.Client.Create(ctx, pod); err != nil && !apierrors.IsAlreadyExists(err) {
		return machine.Instance{}, machine.Errorf(container.CodeOf(err), "create pod of %s: %w", describe(request.Machine), err)
	}
	return instance(pod, request.Machine), nil
}

// Start implements machine.Driver. A pod that has ended cannot run again, so a new one replaces it.
func (d *Driver) Start(ctx context.Context, request machine.Request) error {
	pod := &corev1.Pod{}
	if err := d.Client.Get(ctx, key(request.Machine), pod); client.IgnoreNotFound(err) != nil {
		return machine.Errorf(machine.Unavailable, "read pod of %s: %w", describe(request.Machine), err)
	} else if err == nil && !stopped(pod) {
		return nil
	}
	if err := d.removePod(ctx, request.Machine); err != nil {
		return err
	}
	_, err := d.Create(ctx, request)
	return err
}

// Status implements machine.Driver.
func (d *Driver) Status(ctx context.Context, request machine.Request) (machine.Instance, error) {
	pod := &corev1.Pod{}
	if err := d.Client.Get(ctx, key(request.Machine), pod); apierrors.IsNotFound(err) {
		return machine.Instance{}, machine.Errorf(machine.NotFound, "%s has no pod", describe(request.Machine))
	} else if err != nil {
		return machine.Instance{}, machine.Errorf(machine.Unavailable, "read pod of %s: %w", describe(request.Machine), err)
	}
	return instance(pod, request.Machine), nil
}

// Delete implements machine.Driver.
func (d *Driver) Delete(ctx context.Context, request machine.Request) error {
	if err := d.removePod(ctx, request.Machine); err != nil {
		return err
	}
	if err := d.Client.Delete(ctx, newSecret(request.Machine, "", nil)); client.IgnoreNotFound(err) != nil {
		return machine.Errorf(container.CodeOf(err), "delete secret of %s: %w", describe(request.Machine), err)
	}
	return nil
}

// List implements machine.Driver.
func (d *Driver) List(ctx context.Context, request machine.Request) (map[string]string, error) {
	pods := &corev1.PodList{}
	if err := d.Client.List(ctx, pods, client.InNamespace(request.Class.Namespace), client.MatchingLabels(contract.MachinePodLabels())); err != nil {
		return nil, machine.Errorf(machine.Unavailable, "list pods of class %s: %w", request.Class.Name, err)
	}
	machines := map[string]string{}
	for _, pod := range pods.Items {
		if of := pod.Annotations[machineAnnotation]; of != "" && pod.Annotations[classAnnotation] == request.Class.Name {
			machines[name.ProviderID(pod.Namespace, of)] = of
		}
	}
	return machines, nil
}

// writeSecret replaces the Secret, because a Secret from an earlier attempt may hold an expired token.
func (d *Driver) writeSecret(ctx context.Context, secret *corev1.Secret) error {
	err := d.Client.Create(ctx, secret.DeepCopy())
	if apierrors.IsAlreadyExists(err) {
		err = d.Client.Update(ctx, secret)
	}
	if err != nil {
		return machine.Errorf(container.CodeOf(err), "write secret %s: %w", secret.Name, err)
	}
	return nil
}

// removePod deletes a pod and waits until it is gone.
func (d *Driver) removePod(ctx context.Context, m *machinev1alpha1.Machine) error {
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = m.Namespace, podPrefix+m.Name
	if err := d.Client.Delete(ctx, pod); client.IgnoreNotFound(err) != nil {
		return machine.Errorf(container.CodeOf(err), "delete pod of %s: %w", describe(m), err)
	} else if err != nil {
		return nil
	}
	err := wait.PollUntilContextTimeout(ctx, goneInterval, goneTimeout, true, func(ctx context.Context) (bool, error) {
		err := d.Client.Get(ctx, key(m), &corev1.Pod{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		return machine.Errorf(machine.Unavailable, "wait for pod of %s to go: %w", describe(m), err)
	}
	return nil
}

func instance(pod *corev1.Pod, m *machinev1alpha1.Machine) machine.Instance {
	return machine.Instance{
		ProviderID: name.ProviderID(m.Namespace, m.Name),
		NodeName:   name.OfNode(m.Name),
		Stopped:    stopped(pod),
		Addresses:  addresses(pod, m.Name),
	}
}

func key(m *machinev1alpha1.Machine) client.ObjectKey {
	return client.ObjectKey{Namespace: m.Namespace, Name: podPrefix + m.Name}
}
