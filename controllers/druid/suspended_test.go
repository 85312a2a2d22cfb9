package druid_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const suspendAnnotation = "druid.gardener.cloud/suspend-etcd-spec-reconcile"

// suspended changes the spec of an Etcd that somebody has suspended, and deletes it.
func suspended(t *testing.T, c client.Client) {
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--suspended"}}
	must(t, c.Create(ctx, namespace))
	meta := metav1.ObjectMeta{Namespace: namespace.Name, Name: "etcd-main"}
	etcd := &druidv1alpha1.Etcd{ObjectMeta: meta, Spec: druidv1alpha1.EtcdSpec{Replicas: 1, Labels: map[string]string{"a": "b"}}}
	must(t, c.Create(ctx, etcd))
	set := &appsv1.StatefulSet{ObjectMeta: meta}
	eventually(t, func() error { return c.Get(ctx, client.ObjectKeyFromObject(set), set) })

	t.Run("ETC-2 the spec of a suspended Etcd is not reconciled, and an event tells that", func(t *testing.T) {
		annotate(t, c, etcd, suspendAnnotation, ptr.To(""))
		announce(t, c, etcd, func() { etcd.Spec.Replicas = 0 })
		var told *eventsv1.Event
		eventually(t, func() error {
			events := &eventsv1.EventList{}
			must(t, c.List(ctx, events, client.InNamespace(namespace.Name)))
			at := slices.IndexFunc(events.Items, func(e eventsv1.Event) bool {
				return e.Reason == "SpecReconciliationSkipped" && e.Regarding.UID == etcd.UID
			})
			if at < 0 {
				return errors.New("no event tells that the spec is not reconciled")
			}
			told = &events.Items[at]
			return nil
		})
		if told.Type != corev1.EventTypeWarning {
			t.Errorf("event %+v", told)
		}
		testwait.Stays(t, 300*time.Millisecond, "the controller, which reacts to a change at once", func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
			if *set.Spec.Replicas != 1 {
				return errors.New("the StatefulSet was scaled")
			}
			return nil
		})
		run(t, c, set)
		eventually(t, func() error { // its status goes on
			must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
			return want(etcd, true, nil)
		})
		if etcd.Annotations["gardener.cloud/operation"] != "reconcile" {
			t.Error("the request to reconcile is gone")
		}
		annotate(t, c, etcd, suspendAnnotation, nil)
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
			if *set.Spec.Replicas != 0 {
				return errors.New("the StatefulSet is not scaled")
			}
			return nil
		})
	})

	t.Run("ETC-2 a suspended Etcd can be deleted", func(t *testing.T) {
		annotate(t, c, etcd, suspendAnnotation, ptr.To("true"))
		must(t, c.Delete(ctx, etcd))
		eventually(t, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd); !apierrors.IsNotFound(err) {
				return fmt.Errorf("etcd: %v", err)
			}
			return nil
		})
	})
}

// annotate sets an annotation of an Etcd, or removes it.
func annotate(t *testing.T, c client.Client, etcd *druidv1alpha1.Etcd, key string, value *string) {
	t.Helper()
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(etcd), etcd))
	before := etcd.DeepCopy()
	delete(etcd.Annotations, key)
	if value != nil {
		metav1.SetMetaDataAnnotation(&etcd.ObjectMeta, key, *value)
	}
	must(t, c.Patch(t.Context(), etcd, client.MergeFrom(before)))
}
