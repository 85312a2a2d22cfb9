package garden

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

func TestSecond(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	first, second := aGarden("b"), aGarden("a")
	first.CreationTimestamp, second.CreationTimestamp = metav1.Unix(1e9, 0), metav1.Unix(1e9+1, 0)
	second.Finalizers = []string{constants.FinalizerOperator}
	second.Annotations = map[string]string{constants.ConfirmationDeletion: "true"}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(first, second).WithStatusSubresource(first).Build()
	h, touched := aHost(), false
	touch := func(context.Context, *operatorv1alpha1.Garden, host.Stage) error { touched = true; return nil }
	h.Name, h.Deploy, h.Destroy = "", touch, touch
	r := &Reconciler{Runtime: c, Host: h, Clock: clocktesting.NewFakePassiveClock(time.Unix(1e9, 0)), ComponentTimeout: time.Millisecond}
	key := client.ObjectKeyFromObject(second)
	t.Run("OPR-1 the second Garden of a cluster is not run", func(t *testing.T) {
		result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: key})
		now := &operatorv1alpha1.Garden{}
		if err := c.Get(t.Context(), key, now); err != nil {
			t.Fatal(err)
		}
		last := now.Status.LastOperation
		if err != nil || touched || result.RequeueAfter == 0 || last == nil || !strings.Contains(last.Description, `there is the Garden "b" already`) {
			t.Errorf("%+v, %v, %+v", result, err, last)
		}
	})
	t.Run("OPR-39 its deletion destroys nothing of the first, and nothing holds it up", func(t *testing.T) {
		if reason, err := r.HeldUp(t.Context(), second); reason != "" || err != nil {
			t.Errorf("%s, %v", reason, err)
		}
		if err := c.Delete(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: key}); err != nil || touched {
			t.Errorf("destroyed %t, %v", touched, err)
		}
		if err := c.Get(t.Context(), key, second); !apierrors.IsNotFound(err) {
			t.Errorf("it is still there: %v", err)
		}
	})
	t.Run("OPR-1 of two Gardens of the same second the one that has begun is run", func(t *testing.T) {
		one, other := aGarden("a"), aGarden("b")
		if !before(one, other) || before(other, one) {
			t.Error("the order is not that of names")
		}
		other.Finalizers = []string{constants.FinalizerOperator}
		if before(one, other) || !before(other, one) {
			t.Error("the one that has begun is second")
		}
	})
}
