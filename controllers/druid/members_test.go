package druid_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const recoverAnnotation = "druid.gardener.cloud/recover-from-quorum-loss"

// withMembers scales an etcd to three members and recovers it from the loss of two. The test stands in for the pods.
func withMembers(t *testing.T, c client.Client) {
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--m"}}
	must(t, c.Create(ctx, namespace))
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace.Name, Name: name} }
	for _, name := range []string{"tls", "etcd-backup"} {
		must(t, c.Create(ctx, &corev1.Secret{ObjectMeta: meta(name)}))
	}
	etcd, set := backedUp(namespace.Name), &appsv1.StatefulSet{ObjectMeta: meta("etcd-main")}
	must(t, c.Create(ctx, etcd))
	// awaitSet waits until the StatefulSet has this many members, and this flag.
	awaitSet := func(t *testing.T, members int32, flag string) {
		t.Helper()
		eventually(t, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
				return err
			}
			if args := set.Spec.Template.Spec.Containers[0].Args; *set.Spec.Replicas != members || flag != "" && !slices.Contains(args, flag) {
				return fmt.Errorf("%d members with %v", *set.Spec.Replicas, args)
			}
			return nil
		})
	}
	annotation := func() string {
		must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
		return etcd.Annotations[recoverAnnotation]
	}
	request := func(t *testing.T) {
		t.Helper()
		must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
		before := etcd.DeepCopy()
		metav1.SetMetaDataAnnotation(&etcd.ObjectMeta, recoverAnnotation, "true")
		must(t, c.Patch(ctx, etcd, client.MergeFrom(before)))
	}
	ready := func(t *testing.T, members int32) {
		t.Helper()
		before := set.DeepCopy()
		n := *set.Spec.Replicas
		set.Status = appsv1.StatefulSetStatus{ObservedGeneration: set.Generation, Replicas: n, CurrentReplicas: n, UpdatedReplicas: n, ReadyReplicas: members, AvailableReplicas: members}
		must(t, c.Status().Patch(ctx, set, client.MergeFrom(before)))
	}

	t.Run("ETC-2 one member becomes three, of which the new ones join", func(t *testing.T) {
		awaitSet(t, 1, "--initial-cluster-state=new")
		ready(t, 1)
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
			if etcd.Annotations["gardener.cloud/operation"] != "" {
				return errors.New("the first request is not done")
			}
			return nil
		})
		announce(t, c, etcd, func() { etcd.Spec.Replicas = 3 })
		awaitSet(t, 3, "--initial-cluster-state=existing")
		for i := range 3 {
			must(t, c.Get(ctx, client.ObjectKey{Namespace: namespace.Name, Name: fmt.Sprintf("etcd-main-%d", i)}, &coordinationv1.Lease{}))
		}
		ready(t, 3)
	})
	t.Run("ETC-2 an update replaces a broken member of the former template first, and then waits for it", func(t *testing.T) {
		pod := func(ordinal int, isReady bool) *corev1.Pod {
			pod := &corev1.Pod{ObjectMeta: meta(fmt.Sprintf("etcd-main-%d", ordinal)), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "etcd", Image: "gardener"}}}}
			pod.Labels = maps.Clone(set.Spec.Template.Labels)
			pod.Labels[appsv1.StatefulSetRevisionLabel] = "former"
			pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
			must(t, c.Create(ctx, pod))
			if isReady {
				pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			} else {
				pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "etcd", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
			}
			must(t, c.Status().Update(ctx, pod))
			return pod
		}
		pods := []*corev1.Pod{pod(0, false), pod(1, true), pod(2, true)}
		if set.Spec.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType {
			t.Errorf("strategy %q: the StatefulSet updates by ordinal", set.Spec.UpdateStrategy.Type)
		}
		before := set.DeepCopy()
		set.Status.UpdateRevision, set.Status.UpdatedReplicas, set.Status.ReadyReplicas, set.Status.AvailableReplicas = "next", 0, 2, 2
		must(t, c.Status().Patch(ctx, set, client.MergeFrom(before)))
		eventually(t, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(pods[0]), &corev1.Pod{}); !apierrors.IsNotFound(err) {
				return fmt.Errorf("the broken member is still there: %v", err)
			}
			return nil
		})
		testwait.Stays(t, 300*time.Millisecond, "the controller, which looks again at every change", func() error {
			return errors.Join(c.Get(ctx, client.ObjectKeyFromObject(pods[1]), &corev1.Pod{}), c.Get(ctx, client.ObjectKeyFromObject(pods[2]), &corev1.Pod{}))
		})
		for _, pod := range pods[1:] {
			must(t, c.Delete(ctx, pod, client.GracePeriodSeconds(0)))
		}
		ready(t, 3)
	})
	t.Run("a recovery is refused while a majority is ready", func(t *testing.T) {
		ready(t, 2)
		request(t)
		eventually(t, func() error {
			if annotation() != "" {
				return errors.New("the annotation is still there")
			}
			return nil
		})
		awaitSet(t, 3, "")
	})
	t.Run("a recovery is refused while no backup is known", func(t *testing.T) {
		ready(t, 1)
		request(t)
		eventually(t, func() error {
			if annotation() != "" {
				return errors.New("the annotation is still there")
			}
			return nil
		})
		awaitSet(t, 3, "")
	})
	t.Run("ETC-10 on request, the data of all members are deleted and one member begins, before the others join", func(t *testing.T) {
		claim := set.Spec.VolumeClaimTemplates[0].DeepCopy()
		claim.ObjectMeta = meta("etcd-main-etcd-main-0")
		claim.Labels = set.Spec.Selector.MatchLabels
		must(t, c.Create(ctx, claim))
		renewed := fmt.Sprintf(`{"spec":{"holderIdentity":"7","renewTime":%q}}`, time.Now().UTC().Format(metav1.RFC3339Micro))
		must(t, c.Patch(ctx, &coordinationv1.Lease{ObjectMeta: meta("etcd-main-full-snap")}, client.RawPatch("application/merge-patch+json", []byte(renewed))))
		ready(t, 1)
		request(t)
		awaitSet(t, 0, "")
		ready(t, 0)
		eventually(t, func() error { // as the controller for claims does once no pod uses one
			if err := c.Get(ctx, client.ObjectKeyFromObject(claim), claim); err != nil {
				return client.IgnoreNotFound(err)
			}
			if claim.DeletionTimestamp == nil {
				return errors.New("the claim is not deleted")
			}
			if phase := annotation(); phase != "true" {
				return fmt.Errorf("phase %q while data are left", phase)
			}
			claim.Finalizers = nil
			must(t, c.Update(ctx, claim))
			return nil
		})
		awaitSet(t, 1, "--initial-cluster=etcd-main-0=http://etcd-main-0.etcd-main-peer.shoot--p--m.svc:2380")
		if got := annotation(); got != "restoring" {
			t.Errorf("phase %q", got)
		}
		ready(t, 1)
		awaitSet(t, 3, "--initial-cluster-state=existing")
		if got := annotation(); got != "" {
			t.Errorf("phase %q", got)
		}
	})
	if ptr.Deref(set.Spec.Replicas, 0) != 3 || etcd.Spec.Replicas != 3 {
		t.Errorf("members %v, want %d", set.Spec.Replicas, etcd.Spec.Replicas)
	}
}
