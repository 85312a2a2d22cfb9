package lifecycle

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	testclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestPointless(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	state := func(generation int64, deleted bool, idle time.Duration) *gardencorev1beta1.Shoot {
		s := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Generation: generation}}
		if deleted {
			s.DeletionTimestamp = &metav1.Time{Time: now}
		}
		s.Status.LastOperation = &gardencorev1beta1.LastOperation{LastUpdateTime: metav1.NewTime(now.Add(-idle))}
		return s
	}
	forced := func(s *gardencorev1beta1.Shoot) *gardencorev1beta1.Shoot {
		s.Annotations = map[string]string{"confirmation.gardener.cloud/force-deletion": "true"}
		return s
	}
	moves := func(s *gardencorev1beta1.Shoot, held string) *gardencorev1beta1.Shoot {
		s.Spec.SeedName = ptr.To("next")
		if held != "" {
			s.Status.SeedName = &held
		}
		return s
	}
	for name, tc := range map[string]struct {
		running, current *gardencorev1beta1.Shoot
		want             bool
	}{
		"MIG-15 another seed ends a migration by taking the shoot": {moves(state(1, false, 0), "first"), moves(state(2, false, 0), ""), true},
		"MIG-15 the restoration there goes on":                     {moves(state(2, false, 0), ""), moves(state(2, false, 0), "next"), false},
		"GLT-36 a deletion ends a creation at once":                {state(1, false, 0), state(2, true, 0), true},
		"GLT-36 a deletion goes on":                                {state(2, true, 0), state(2, true, time.Hour), false},
		"GLT-36 an operation without news goes on":                 {state(1, false, 0), state(1, false, time.Hour), false},
		"GLT-36 an operation that makes progress is not disturbed": {state(1, false, 0), state(2, false, 29*time.Second), false},
		"GLT-36 a change ends an operation that is stuck":          {state(1, false, 0), state(2, false, 30*time.Second), true},
		"GLT-36 a change ends a deletion that is stuck":            {state(2, true, 0), state(3, true, time.Minute), true},
		"GLT-34 a forced deletion ends another one at once":        {state(2, true, 0), forced(state(3, true, 0)), true},
		"GLT-34 a forced deletion goes on":                         {forced(state(3, true, 0)), forced(state(3, true, time.Hour)), false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := pointless(tc.running, tc.current, now); (err != nil) != tc.want {
				t.Errorf("pointless is %v", err)
			}
		})
	}
}

func TestInterruptible(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := gardencorev1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun", Finalizers: []string{"gardener"}}}
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(shoot).Build()
	r := &Reconciler{Clusters: flow.Clusters{Garden: garden}, Clock: testclock.NewFakePassiveClock(time.Now())}
	ctx, end := r.interruptible(t.Context(), shoot)
	defer end()
	if err := garden.Delete(t.Context(), shoot.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if cause := (*pointlessError)(nil); !errors.As(context.Cause(ctx), &cause) {
		t.Errorf("GLT-36 the operation ended because of %v", context.Cause(ctx))
	}
}
