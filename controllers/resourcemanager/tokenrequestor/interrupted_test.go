package tokenrequestor_test

import (
	"context"
	"errors"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/tokenrequestor"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// TestInterruptedRenewal ends a renewal between the two Secrets that get the token.
func TestInterruptedRenewal(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shoot", Name: "access", Labels: map[string]string{resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest},
		Annotations: map[string]string{
			resourcesv1alpha1.ServiceAccountName: "agent", resourcesv1alpha1.ServiceAccountNamespace: "kube-system",
			resourcesv1alpha1.TokenRequestorTargetSecretName: "agent", resourcesv1alpha1.TokenRequestorTargetSecretNamespace: "kube-system",
		},
	}}
	source := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(secret).Build()
	broken := errors.New("the target does not answer")
	target := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme.Scheme).Build(), interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			if _, ok := object.(*corev1.Secret); ok && broken != nil {
				return broken
			}
			return c.Create(ctx, object, options...)
		},
		SubResourceCreate: func(_ context.Context, _ client.Client, _ string, _, request client.Object, _ ...client.SubResourceCreateOption) error {
			issued := &request.(*authenticationv1.TokenRequest).Status
			issued.Token, issued.ExpirationTimestamp = "token", metav1.NewTime(time.Now().Add(time.Hour))
			return nil
		},
	})
	r := &tokenrequestor.Reconciler{Name: "test", Source: source, Reader: source, Target: target, Clock: clock.RealClock{}}
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(secret)}
	if _, err := r.Reconcile(t.Context(), request); !errors.Is(err, broken) {
		t.Fatalf("the error is %v", err)
	}
	broken = nil
	if _, err := r.Reconcile(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	copied := &corev1.Secret{}
	if err := target.Get(t.Context(), client.ObjectKey{Namespace: "kube-system", Name: "agent"}, copied); err != nil || len(copied.Data["token"]) == 0 {
		t.Errorf("GRM-27 the Secret of the target has not got the token: %v", err)
	}
}
