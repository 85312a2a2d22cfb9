package apiserver

import (
	"context"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
)

// TestEnd waits for the end of an API server with two pods, one of which its ReplicaSet would replace if it were deleted now.
func TestEnd(t *testing.T) {
	pod := func(name string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: kubeapiserver.Labels(), Finalizers: []string{"example.org/ending"}}}
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "kube-apiserver", Namespace: namespace}}
	cut := map[string]bool{}
	cluster := fake.NewClientBuilder().WithObjects(pod("running"), pod("ending"), deployment).WithInterceptorFuncs(interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, given ...client.DeleteOption) error {
			options := client.DeleteOptions{}
			options.ApplyOptions(given)
			if ptr.Deref(options.GracePeriodSeconds, 0) == shortGrace {
				cut[object.GetName()] = true
			}
			return c.Delete(ctx, object, given...)
		},
	}).Build()
	if err := cluster.Delete(t.Context(), pod("ending")); err != nil {
		t.Fatal(err)
	}
	server := Server{Space: seed.Space{Name: namespace, Client: cluster}}
	waits := func(reason string) {
		t.Run("GLT-34 it waits: "+reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := server.AwaitGone(ctx); err == nil || !strings.Contains(err.Error(), reason) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
	waits(`deployment "kube-apiserver" still exists`)
	if !maps.Equal(cut, map[string]bool{"ending": true}) {
		t.Errorf("GLT-34 the grace periods of %v were cut", cut)
	}
	if err := server.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	running := pod("running")
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(running), running); err != nil || running.DeletionTimestamp != nil {
		t.Errorf("GLT-34 a pod is deleted that would be replaced: %v", err)
	}
	waits("2 pods of kube-apiserver still exist") // the Deployment was deleted without them
	if !cut["running"] {
		t.Error("GLT-34 a pod without a Deployment runs on")
	}
	for _, name := range []string{"running", "ending"} {
		ended := pod(name)
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(ended), ended); err != nil {
			t.Fatal(err)
		}
		ended.Finalizers = nil
		if err := cluster.Update(t.Context(), ended); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.AwaitGone(t.Context()); err != nil {
		t.Errorf("GLT-34 when all are gone: %v", err)
	}
}
