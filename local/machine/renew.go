package machine

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/providers/contract/machine"
)

var _ machine.Updater = &Driver{}

// Update implements machine.Updater. The pod stays. Its process sees the user data of the other class in its Secret, ends, and boots
// from it when its container starts again.
func (d *Driver) Update(ctx context.Context, request machine.Request) (bool, error) {
	pod := &corev1.Pod{}
	if err := d.Client.Get(ctx, key(request.Machine), pod); client.IgnoreNotFound(err) != nil {
		return false, machine.Errorf(machine.Unavailable, "read pod of %s: %w", describe(request.Machine), err)
	} else if err != nil || stopped(pod) {
		return false, d.Start(ctx, request) // it boots from the other class at once
	}
	secret := newSecret(request.Machine, request.Class.Name, request.Secret[machine.UserDataKey])
	if err := d.writeSecret(ctx, secret); err != nil {
		return false, err
	}
	wanted := fingerprint(secret.Data)
	if pod.Annotations[classAnnotation] != request.Class.Name || pod.Annotations[bootAnnotation] != wanted {
		before := pod.DeepCopy()
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, classAnnotation, request.Class.Name)
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, bootAnnotation, wanted) // which makes the node read the Secret again
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, formerAnnotation, containerID(before))
		if err := d.Client.Patch(ctx, pod, client.MergeFrom(before)); err != nil {
			return false, machine.Errorf(container.CodeOf(err), "update pod of %s: %w", describe(request.Machine), err)
		}
		return false, nil
	}
	return running(pod) && containerID(pod) != pod.Annotations[formerAnnotation], nil
}

// containerID is the ID of the container of a machine; empty if there is none yet.
func containerID(pod *corev1.Pod) string {
	for _, status := range pod.Status.ContainerStatuses {
		return status.ContainerID
	}
	return ""
}

func running(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.State.Running != nil })
}

// Update implements machine.Updater.
func (c composite) Update(ctx context.Context, request machine.Request) (bool, error) {
	driver, err := c.of(request.Class)
	if err != nil {
		return false, err
	}
	if updater, ok := driver.(machine.Updater); ok {
		return updater.Update(ctx, request)
	}
	return false, machine.ErrSelf
}
