package share

import (
	"context"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestLimit(t *testing.T) {
	acted := 0
	inner := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		acted++
		return reconcile.Result{}, nil
	})
	for name, tc := range map[string]struct {
		share     Share
		namespace string
		marked    bool
		acts      int
	}{
		"OPR-28 the druid of a landscape serves shoots":                             {Landscape, "shoot", false, 1},
		"OPR-28 and still does when it has marked the cluster":                      {Landscape, "shoot", true, 1},
		"OPR-28 it leaves the etcds of a Garden to the operator":                    {Landscape, "garden", false, 0},
		"OPR-28 the druid of an operator serves the etcds of its Garden":            {Operator, "garden", false, 1},
		"OPR-28 and does so beside the druid of a landscape":                        {Operator, "garden", true, 1},
		"OPR-28 it leaves shoots to the druid of a landscape, which has the stores": {Operator, "shoot", true, 0},
		"OPR-28 where there is no other it serves shoots":                           {Operator, "shoot", false, 1},
		"OPR-28 a druid alone serves all":                                           {All, "garden", true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			acted = 0
			key := client.ObjectKey{Namespace: tc.namespace, Name: "any"}
			objects := []client.Object{&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}}
			if tc.marked {
				objects = append(objects, mark())
			}
			c := fake.NewClientBuilder().WithObjects(objects...).Build()
			limited := Limit(inner, c, &corev1.Secret{}, tc.share)
			result, err := limited.Reconcile(t.Context(), reconcile.Request{NamespacedName: key})
			if err != nil || acted != tc.acts || (result.RequeueAfter > 0) != (tc.acts == 0) {
				t.Errorf("acted %d times, %+v, %v", acted, result, err)
			}
			acted = 0
			result, err = limited.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: key.Namespace, Name: "gone"}})
			if err != nil || acted != tc.acts || result.RequeueAfter > 0 {
				t.Errorf("of an object that is gone: acted %d times, %+v, %v", acted, result, err)
			}
		})
	}
}

func TestMark(t *testing.T) {
	c, now := fake.NewClientBuilder().Build(), clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	for range 2 { // once it makes the mark, once it renews it
		now.SetTime(now.Now().Add(time.Minute))
		if err := (Marker{Reader: c, Client: c, Clock: now}).mark(t.Context()); err != nil {
			t.Fatal(err)
		}
		lease := &coordinationv1.Lease{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: MarkName}, lease); err != nil {
			t.Fatal(err)
		}
		if got := lease.Spec.RenewTime; got == nil || !got.Time.Equal(now.Now()) {
			t.Errorf("OPR-28 the mark was renewed at %v, not %v", got, now.Now())
		}
	}
}
