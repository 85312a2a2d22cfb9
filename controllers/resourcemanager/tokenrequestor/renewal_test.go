package tokenrequestor

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

func TestAllAreLookedAtAfterSleep(t *testing.T) {
	labels := map[string]string{resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest, resourcesv1alpha1.ResourceManagerClass: "shoot"}
	other := map[string]string{resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest, resourcesv1alpha1.ResourceManagerClass: "garden"}
	secrets := fake.NewClientBuilder().WithObjects(
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "token", Labels: labels}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "of-another", Labels: other}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "password"}},
	).Build()
	found, err := (&Reconciler{Class: "shoot"}).all(t.Context(), secrets)
	if err != nil || len(found) != 1 || found[0].Name != "token" {
		t.Errorf("CAR-8 the controller looks at %v, %v", found, err)
	}
}

func TestRenewalForAnotherCA(t *testing.T) {
	now := time.Unix(1000, 0)
	r := &Reconciler{CABundle: []byte("new"), Clock: clocktesting.NewFakePassiveClock(now)}
	for name, tc := range map[string]struct {
		asks   string
		bundle string
		want   time.Duration
	}{
		"CAR-8 a Secret with the CA before a rotation is renewed at once": {asks: "true", bundle: "old", want: 0},
		"a Secret with the present CA waits":                              {asks: "true", bundle: "new", want: time.Hour},
		"a Secret that asks for none waits":                               {bundle: "", want: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{Data: map[string][]byte{"token": []byte("t"), "bundle.crt": []byte(tc.bundle)}}
			secret.Annotations = map[string]string{
				resourcesv1alpha1.ServiceAccountTokenRenewTimestamp: now.Add(time.Hour).UTC().Format(time.RFC3339),
				resourcesv1alpha1.ServiceAccountInjectCABundle:      tc.asks,
			}
			if got := r.untilRenewal(secret); got != tc.want {
				t.Errorf("it is renewed in %s, want %s", got, tc.want)
			}
		})
	}
}
