package runtimecluster

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// object is one that exists unless it is gone.
type object struct {
	*cluster
	gone bool
}

func (o *object) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	if o.gone {
		return apierrors.NewNotFound(schema.GroupResource{}, "any")
	}
	return nil
}

func TestYield(t *testing.T) {
	acted := 0
	inner := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		acted++
		return reconcile.Result{}, nil
	})
	for name, tc := range map[string]struct {
		garden string
		yields bool
		gone   bool
		acts   int
		again  bool
	}{
		"OPR-28 without a Garden it acts":                      {yields: true, acts: 1},
		"OPR-28 with a Garden it leaves objects to another":    {yields: true, garden: "sky", again: true},
		"OPR-28 and forgets those that are gone":               {yields: true, garden: "sky", gone: true},
		"OPR-28 the operator itself acts beside its Garden":    {garden: "sky", acts: 1},
		"OPR-28 one that does not yield never asks for Garden": {acts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			acted = 0
			reader := &object{cluster: &cluster{garden: tc.garden}, gone: tc.gone}
			result, err := Yield(inner, reader, &corev1.Secret{}, tc.yields).Reconcile(t.Context(), reconcile.Request{})
			if err != nil || acted != tc.acts || (result.RequeueAfter > 0) != tc.again {
				t.Errorf("acted %d times, %+v, %v", acted, result, err)
			}
		})
	}
}
