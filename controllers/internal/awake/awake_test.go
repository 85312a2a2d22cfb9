package awake_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/awake"
	"github.com/gardener-up/gardener-up/embedded/wallclock"
	"github.com/gardener-up/gardener-up/embedded/wallclock/wallclocktest"
)

func TestSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		laptop := wallclocktest.New(time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC))
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		defer queue.ShutDown()
		want := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "shoot--sky--sun", Name: "token"}}
		source := awake.Source(laptop, func(context.Context) ([]reconcile.Request, error) { return []reconcile.Request{want}, nil })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if err := source.Start(ctx, queue); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		laptop.Step(wallclock.Look)
		synctest.Wait()
		if queue.Len() != 0 {
			t.Errorf("APP-35 %d are enqueued although the machine was awake", queue.Len())
		}
		laptop.Sleep(time.Hour)
		laptop.Step(wallclock.Look)
		synctest.Wait()
		if queue.Len() != 1 {
			t.Fatalf("APP-35 %d are enqueued after an hour of sleep", queue.Len())
		}
		if got, _ := queue.Get(); got != want {
			t.Errorf("APP-35 %s is enqueued", got)
		}
	})
}
