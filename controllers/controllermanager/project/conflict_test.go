package project_test

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/project"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func TestConflict(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	errBoom := errors.New("boom")
	for name, tc := range map[string]struct{ refused, want error }{
		"GCM-2 another writer of a new Project is no error": {refused: apierrors.NewConflict(gardencorev1beta1.Resource("projects"), "dev", errBoom)},
		"GCM-2 another error is one":                        {refused: errBoom, want: errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(dev()).WithInterceptorFuncs(interceptor.Funcs{
				Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
					return tc.refused
				},
			}).Build()
			result, err := (&project.Reconciler{Client: c, Reader: c}).Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "dev"}})
			if !errors.Is(err, tc.want) || tc.want == nil && result.RequeueAfter <= 0 {
				t.Errorf("%v, %v, want %v", result, err, tc.want)
			}
		})
	}
}
