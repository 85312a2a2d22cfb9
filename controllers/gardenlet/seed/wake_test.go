package seed_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// TestForgottenCRDs has an API server that was killed at the wrong moment: it establishes a definition only when the
// definition changes.
func TestForgottenCRDs(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	conditions := func(established apiextensionsv1.ConditionStatus) []apiextensionsv1.CustomResourceDefinitionCondition {
		return []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue}, {Type: apiextensionsv1.Established, Status: established},
		}
	}
	server := fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			crd := obj.(*apiextensionsv1.CustomResourceDefinition)
			if err := c.Create(ctx, crd, opts...); err != nil {
				return err
			}
			crd.Status.Conditions = conditions(apiextensionsv1.ConditionFalse)
			return c.Status().Update(ctx, crd)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if err := c.Patch(ctx, obj, patch, opts...); err != nil {
				return err
			}
			crd := obj.(*apiextensionsv1.CustomResourceDefinition)
			crd.Status.Conditions = conditions(apiextensionsv1.ConditionTrue)
			return c.Status().Update(ctx, crd)
		},
	}).Build()
	t.Run("APP-3 definitions that a killed API server has forgotten are established", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			if err := seed.InstallCRDs(t.Context(), server); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	})
}
