package remove

import (
	"context"
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

func TestAPIServerThatRestarts(t *testing.T) {
	for name, tc := range map[string]struct {
		serves  int32 // pods of the API server while the operator refuses
		refusal int   // how often the operator refuses
		fails   bool
	}{
		"a removal waits for an API server that restarts": {serves: 0, refusal: 2},
		"a removal of a garden with Seeds does not wait":  {serves: 1, refusal: 1, fails: true},
		"a removal that nobody refuses goes on at once":   {serves: 0, refusal: 0},
	} {
		t.Run("APP-25 OPR-39 "+name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := install.AddSeed(scheme); err != nil {
				t.Fatal(err)
			}
			garden := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{Name: "garden", Labels: map[string]string{objects.LabelManagedBy: objects.ManagedBy}}}
			server := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "virtual-garden-kube-apiserver"}, Status: appsv1.DeploymentStatus{AvailableReplicas: tc.serves}}
			refused := 0
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(garden, server).WithInterceptorFuncs(interceptor.Funcs{
				Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
					if refused < tc.refusal {
						refused++
						return apierrors.NewForbidden(schema.GroupResource{Resource: "gardens"}, object.GetName(), errors.New("ask the virtual garden for its Seeds"))
					}
					return c.Delete(ctx, object, options...)
				},
			}).Build()
			err := Inputs{Client: c, Tell: func(string) {}}.garden(t.Context())
			if errors.Is(err, ErrSeeds) != tc.fails || !tc.fails && err != nil || refused != tc.refusal {
				t.Errorf("error %v after %d refusals", err, refused)
			}
		})
	}
}
