package feed_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/local/cloudcontroller/feed"
)

func TestRetries(t *testing.T) {
	failure, later := errors.New("refused"), reconcile.Result{RequeueAfter: time.Second}
	var result reconcile.Result
	var err error
	r := &feed.Retries{Most: 2, Of: reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return result, err })}
	for i, step := range []struct {
		name   string
		result reconcile.Result
		err    error
		want   string
	}{
		{"a", reconcile.Result{}, nil, "done"},
		{"a", reconcile.Result{}, failure, "again"},
		{"b", later, nil, "again"},
		{"b", later, nil, "again"},
		{"c", later, nil, "done"},
		{"c", reconcile.Result{}, failure, "done"},
		{"c", reconcile.Result{}, reconcile.TerminalError(failure), "again"}, // nothing comes of it
		{"a", reconcile.Result{}, nil, "done"},
		{"c", reconcile.Result{}, failure, "again"},
		{"a", later, nil, "done"},
		{"c", reconcile.Result{}, reconcile.TerminalError(failure), "again"},
		{"a", later, nil, "again"},
	} {
		result, err = step.result, step.err
		gotResult, gotErr := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: step.name}})
		got := "done"
		if gotErr != nil || gotResult.RequeueAfter > 0 {
			got = "again"
		}
		if got != step.want {
			t.Errorf("GLT-30 step %d, %s: %s, want %s", i, fmt.Sprint(step.name, step.result, step.err), got, step.want)
		}
	}
}
