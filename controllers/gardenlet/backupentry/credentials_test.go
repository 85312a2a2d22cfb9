package backupentry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestCredentials(t *testing.T) {
	type data map[string]string
	secret := func(name string, values data) *corev1.Secret {
		out := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: name}, Data: map[string][]byte{}}
		for key, value := range values {
			out.Data[key] = []byte(value)
		}
		return out
	}
	for name, tc := range map[string]struct {
		own, generated, want data
	}{
		"ETC-10 an extension that generates credentials without the key does not end the encryption": {
			own: data{"encryptionKey": "key", "account": "a"}, generated: data{"token": "t"}, want: data{"encryptionKey": "key", "token": "t"}},
		"ETC-10 the key of the operator counts, also if the extension has a former one": {
			own: data{"encryptionKey": "key"}, generated: data{"encryptionKey": "former"}, want: data{"encryptionKey": "key"}},
		"ETC-6 without a key there is none":                       {own: data{"account": "a"}, generated: data{"token": "t"}, want: data{"token": "t"}},
		"ETC-6 those of the bucket are used if none are made":     {own: data{"account": "a"}, want: data{"account": "a"}},
		"ETC-6 generated ones do if those of the bucket are gone": {generated: data{"token": "t"}, want: data{"token": "t"}},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := corev1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			bucket := &gardencorev1beta1.BackupBucket{Spec: gardencorev1beta1.BackupBucketSpec{SecretRef: corev1.SecretReference{Namespace: "garden", Name: "own"}}}
			var objects []client.Object
			if tc.own != nil {
				objects = append(objects, secret("own", tc.own))
			}
			if tc.generated != nil {
				objects = append(objects, secret("generated", tc.generated))
				bucket.Status.GeneratedSecretRef = &corev1.SecretReference{Namespace: "garden", Name: "generated"}
			}
			got, err := (&Reconciler{Reader: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()}).credentials(t.Context(), bucket)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(secret("", tc.want).Data, got); diff != "" {
				t.Errorf("credentials (-want +got):\n%s", diff)
			}
		})
	}
}
