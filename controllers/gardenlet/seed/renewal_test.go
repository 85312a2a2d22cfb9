package seed

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

func TestRenewedGardenAccess(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	access := func(name string, data map[string][]byte) *corev1.Secret {
		return &corev1.Secret{Data: data, ObjectMeta: metav1.ObjectMeta{
			Namespace: "extension-one", Name: name, Annotations: map[string]string{resourcesv1alpha1.ServiceAccountTokenRenewTimestamp: "2100-01-01T00:00:00Z"},
			Labels: map[string]string{
				resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest, resourcesv1alpha1.ResourceManagerClass: resourcesv1alpha1.ResourceManagerClassGarden,
			},
		}}
	}
	// renew asks for new tokens, which somebody makes or not, and returns the operation that the Seed still has.
	renew := func(t *testing.T, made bool) (operation string, err error) {
		t.Helper()
		seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "one", Annotations: map[string]string{
			constants.GardenerOperation: constants.SeedOperationRenewGardenAccessSecrets,
		}}}
		garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(seed).Build()
		former := map[string][]byte{"token": []byte("former")}
		leaving, invalid := access("garden-access-leaving", former), access("garden-access-invalid", former)
		leaving.DeletionTimestamp, leaving.Finalizers = &metav1.Time{Time: time.Unix(1e9, 0)}, []string{"example.org/held"}
		invalid.Annotations[resourcesv1alpha1.ServiceAccountTokenExpirationDuration] = "soon"
		cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
			access("garden-access-one", map[string][]byte{"token": []byte("former")}), access("garden-access-never", nil), leaving, invalid,
		).WithInterceptorFuncs(interceptor.Funcs{
			Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
				err := c.Patch(ctx, object, patch, options...)
				if made && object.GetName() == "garden-access-one" && err == nil {
					renewed := access(object.GetName(), map[string][]byte{"token": []byte("new")})
					err = c.Update(ctx, renewed)
				}
				return err
			},
		}).Build()
		if err := garden.Get(t.Context(), client.ObjectKeyFromObject(seed), seed); err != nil {
			t.Fatal(err)
		}
		err = (&Reconciler{Garden: garden, SeedClient: cluster, Recorder: events.NewFakeRecorder(1)}).renewals(t.Context(), seed)
		if err := garden.Get(t.Context(), client.ObjectKeyFromObject(seed), seed); err != nil {
			t.Fatal(err)
		}
		return seed.Annotations[constants.GardenerOperation], err
	}
	t.Run("OPR-30 the operation is not done while a token for the garden is a former one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			operation, err := renew(t, false)
			if err == nil || !strings.Contains(err.Error(), "extension-one/garden-access-one") || operation != constants.SeedOperationRenewGardenAccessSecrets {
				t.Errorf("operation %q, error %v", operation, err)
			}
			if err != nil && strings.Contains(err.Error(), "garden-access-never") {
				t.Errorf("a Secret that never had a token is waited for: %v", err)
			}
		})
	})
	t.Run("OPR-30 the operation is done once all tokens for the garden are new", func(t *testing.T) {
		if operation, err := renew(t, true); err != nil || operation != "" {
			t.Errorf("operation %q, error %v", operation, err)
		}
	})
}
