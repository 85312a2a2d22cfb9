package etcd

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// rolloutPause is the time between two looks at the members during an update. Changes of the StatefulSet's status wake the controller
// earlier. Nothing watches pods.
const rolloutPause = 5 * time.Second

// silence is how long a member that runs may not be ready before it counts as broken: a machine restarts within that time, and a lost
// majority is found again.
const silence = 5 * time.Minute

// updateStrategy leaves the update of several members to this controller. A StatefulSet updates by ordinal: while one member is
// broken, it would stop a healthy one, and then wait for it without a majority. A single member needs no decision.
func updateStrategy(members int32) appsv1.StatefulSetUpdateStrategy {
	if members > 1 {
		return appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
	}
	return appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType}
}

// rollOut does the next step of an update of several members: it deletes at most one pod, which the StatefulSet makes again from its
// current template. It returns when to look again; 0 if no update is in progress.
func (r *Reconciler) rollOut(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) (time.Duration, error) {
	if set == nil || set.Spec.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType {
		return 0, nil
	}
	seen := observe(etcd, set)
	if seen.updated || set.Status.ObservedGeneration < set.Generation || set.Status.UpdateRevision == "" {
		return 0, nil // the status of the StatefulSet wakes the controller
	}
	pods := &corev1.PodList{}
	if err := r.Reader.List(ctx, pods, client.InNamespace(etcd.Namespace), client.MatchingLabels(set.Spec.Selector.MatchLabels)); err != nil {
		return 0, fmt.Errorf("list members: %w", err)
	}
	pod := nextToUpdate(membersOf(set, pods.Items), int(seen.wanted), set.Status.UpdateRevision, r.Clock.Now())
	if pod == nil {
		return rolloutPause, nil
	}
	log.FromContext(ctx).Info("Updating member", "pod", client.ObjectKeyFromObject(pod), "ready", isReady(pod))
	// A member that has changed since it was read, for example to ready, is judged again.
	unchanged := client.Preconditions{UID: &pod.UID, ResourceVersion: &pod.ResourceVersion}
	if err := r.Client.Delete(ctx, pod, unchanged); client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
		return 0, fmt.Errorf("delete member %q for its update: %w", client.ObjectKeyFromObject(pod), err)
	}
	return rolloutPause, nil
}

// membersOf returns the pods of the StatefulSet by ordinal, the highest first. Pods that only have its labels are left out.
func membersOf(set *appsv1.StatefulSet, pods []corev1.Pod) []corev1.Pod {
	byName := map[string]corev1.Pod{}
	for _, pod := range pods {
		if metav1.IsControlledBy(&pod, set) {
			byName[pod.Name] = pod
		}
	}
	var out []corev1.Pod
	for i := ptr.Deref(set.Spec.Replicas, 1) - 1; i >= 0; i-- {
		if pod, found := byName[fmt.Sprintf("%s-%d", set.Name, i)]; found {
			out = append(out, pod)
		}
	}
	return out
}

// nextToUpdate returns the pod to delete next; nil if none may be deleted now.
//
// A member that cannot start comes first, whatever the state of the others is: it serves nobody, and its former template can be the
// cause. Waiting for it would never end. A member that is not ready for long comes next, but only while no updated member fails: without a
// majority no member is ready, and a template that does not work must not reach those that would. A member that is ready is only deleted
// while all members are ready, so the update itself takes away one member at a time. All deletions are one at a time: members that are
// not ready may serve all the same, behind a network that is interrupted, and must not all be stopped once it is back.
func nextToUpdate(members []corev1.Pod, wanted int, revision string, now time.Time) *corev1.Pod {
	var stuck, silent, outdated *corev1.Pod
	ready, failing := 0, false
	for i := range members {
		pod := &members[i]
		if pod.DeletionTimestamp != nil {
			return nil
		}
		serves := isReady(pod)
		if serves {
			ready++
		}
		switch {
		case pod.Labels[appsv1.StatefulSetRevisionLabel] == revision:
			failing = failing || !serves
		case !serves && cannotStart(pod):
			stuck = first(stuck, pod)
		case !serves && unreadySince(pod, now) >= silence:
			silent = first(silent, pod)
		case serves:
			outdated = first(outdated, pod)
		}
	}
	switch {
	case stuck != nil:
		return stuck
	case silent != nil && !failing:
		return silent
	case ready < wanted:
		return nil
	}
	return outdated
}

func first(one, other *corev1.Pod) *corev1.Pod {
	if one != nil {
		return one
	}
	return other
}

// cannotStart reports whether a container of the pod has ended, or waits for something that it lacks. The kubelet waits before it starts a
// container again.
func cannotStart(pod *corev1.Pod) bool {
	for _, container := range pod.Status.ContainerStatuses {
		waits := container.State.Waiting
		if container.State.Terminated != nil || waits != nil && waits.Reason != "ContainerCreating" && waits.Reason != "PodInitializing" {
			return true
		}
	}
	return false
}

// unreadySince is how long the pod has not been ready; 0 if it does not say so.
func unreadySince(pod *corev1.Pod, now time.Time) time.Duration {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status != corev1.ConditionTrue && !condition.LastTransitionTime.IsZero() {
			return now.Sub(condition.LastTransitionTime.Time)
		}
	}
	return 0
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
