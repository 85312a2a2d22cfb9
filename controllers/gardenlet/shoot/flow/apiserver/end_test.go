package apiserver

import (
	"context"
	"slices"
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
	var cut []string
	cluster := fake.NewClientBuilder().WithObjects(pod("running"), pod("ending"), deployment).WithInterceptorFuncs(interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, given ...client.DeleteOption) error {
			options := client.DeleteOptions{}
			options.ApplyOptions(given)
			if ptr.Deref(options.GracePeriodSeconds, 0) == shortGrace {
				cut = append(cut, object.GetName())
			}
			return c.Delete(ctx, object, given...)
		},
	}).Build()
	if err := cluster.Delete(t.Context(), pod("ending")); err != nil {
		t.Fatal(err)
	}
	server := Server{Space: seed.Space{Name: namespace, Client: cluster}}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := server.AwaitGone(ctx); err == nil || !strings.Contains(err.Error(), `deployment "kube-apiserver" still exists`) {
			t.Errorf("GLT-34 while the Deployment is there: %v", err)
		}
	})
	slices.Sort(cut)
	if cut = slices.Compact(cut); !slices.Equal(cut, []string{"ending"}) {
		t.Errorf("GLT-34 the grace periods of %v were cut", cut)
	}
	if err := server.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := server.AwaitGone(t.Context()); err != nil {
		t.Errorf("GLT-34 when the Deployment is gone: %v", err)
	}
}
