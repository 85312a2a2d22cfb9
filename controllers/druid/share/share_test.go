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
				objects = append(objects, lease())
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
	ours, theirs := &Mark{Identity: "ours"}, &Mark{Identity: "theirs"}
	marked := func(t *testing.T) *coordinationv1.Lease {
		t.Helper()
		found := lease()
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(found), found); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		} else if err != nil {
			return nil
		}
		return found
	}
	marks := func(t *testing.T, m *Mark) {
		t.Helper()
		if err := (Marker{Reader: c, Client: c, Clock: now, Mark: m}).mark(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	leaves := func(t *testing.T, m *Mark) {
		t.Helper()
		for range 2 { // it may be repeated
			if err := m.Leave(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Run("OPR-28 the mark is made, and renewed", func(t *testing.T) {
		for range 2 {
			now.SetTime(now.Now().Add(time.Minute))
			marks(t, ours)
			if got := marked(t); got == nil || !got.Spec.RenewTime.Time.Equal(now.Now()) {
				t.Errorf("the mark is %+v at %v", got, now.Now())
			}
		}
	})
	t.Run("OPR-28 it stays while another landscape uses the cluster", func(t *testing.T) {
		marks(t, theirs)
		leaves(t, ours)
		if marked(t) == nil {
			t.Error("the operator's druid would serve the etcds of the other landscape")
		}
	})
	t.Run("OPR-28 a landscape that has left does not mark the cluster again", func(t *testing.T) {
		marks(t, ours)
		if got := marked(t); got == nil || got.Annotations[ours.annotation()] != "" {
			t.Errorf("the mark is %+v", got)
		}
	})
	t.Run("OPR-28 it goes with the last landscape", func(t *testing.T) {
		leaves(t, theirs)
		if got := marked(t); got != nil {
			t.Errorf("left is %+v", got)
		}
	})
	t.Run("OPR-28 a landscape can come back", func(t *testing.T) {
		ours.returns()
		marks(t, ours)
		if marked(t) == nil {
			t.Error("it makes no mark")
		}
	})
	formerly := func(t *testing.T) { // a mark of a version that told no landscapes
		t.Helper()
		old := marked(t)
		if old == nil {
			t.Fatal("there is no mark")
		}
		old.Annotations = map[string]string{"example.org/note": "kept"}
		if err := c.Update(t.Context(), old); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("OPR-28 a mark of a former version may be another landscape's, and stays", func(t *testing.T) {
		formerly(t)
		leaves(t, ours)
		if marked(t) == nil {
			t.Error("the operator's druid would serve the etcds of the other landscape")
		}
	})
	t.Run("OPR-28 so does one that a landscape of this version has renewed", func(t *testing.T) {
		formerly(t)
		ours.returns()
		for range 2 {
			marks(t, ours)
		}
		leaves(t, ours)
		got := marked(t)
		if got == nil {
			t.Fatal("the operator's druid would serve the etcds of the other landscape")
		}
		if _, tells := got.Annotations["druids.landscape.gardener.cloud/unknown"]; !tells || len(got.Annotations) != 2 {
			t.Errorf("its annotations are %v", got.Annotations)
		}
	})
	t.Run("OPR-28 until a person says that there is no landscape of a former version", func(t *testing.T) {
		ours.returns()
		marks(t, ours)
		got := marked(t)
		delete(got.Annotations, "druids.landscape.gardener.cloud/unknown")
		if err := c.Update(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		marks(t, ours)
		leaves(t, ours)
		if got := marked(t); got != nil {
			t.Errorf("left is %+v", got)
		}
	})
}
